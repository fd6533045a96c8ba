/// A channel for tests: performs requests by copying between two regions, and fails on demand.
#pragma once

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "hw/nic/nic.hpp"

namespace qpcast::hw {

class MemoryChannel final : public Channel {
 public:
  MemoryChannel(std::span<std::byte> local, std::span<std::byte> remote, std::uint32_t depth)
      : local_{local}, remote_{remote}, depth_{depth} {}

  Address address() const override {
    Address address;
    address.region_address = reinterpret_cast<std::uintptr_t>(local_.data());
    address.region_bytes = local_.size();
    return address;
  }
  /// The peer is in this process, so that its address is a pointer.
  void connect(const Address& peer) override {
    remote_ = {reinterpret_cast<std::byte*>(peer.region_address), peer.region_bytes};
  }

  void post(std::span<const WorkRequest> chain) override {
    if (fail_posts) throw TransportError{"memory", "post", 0, "queue pair in error"};
    while (stall) std::this_thread::yield();
    longest_chain = std::max(longest_chain, chain.size());
    ++posts;
    for (const auto& request : chain) {
      if (queue_.size() == depth_)
        throw TransportError{"memory", "post", 0, "the send queue is full"};
      if (!silent) perform(request);
      queue_.push_back(request);
    }
  }

  std::size_t poll(std::span<Completed> completions) override {
    if (silent) return 0;
    std::size_t got = 0;
    while (!queue_.empty() && got < completions.size()) {
      const auto request = queue_.front();
      queue_.pop_front();
      if (request.signalled) completions[got++].id = request.id;
    }
    return got;
  }

  std::atomic<bool> silent{false};      ///< completes nothing, as when the peer died unnoticed
  std::atomic<bool> fail_posts{false};  ///< as a queue pair in error
  std::atomic<bool> stall{false};       ///< holds the thread that posts
  std::size_t longest_chain = 0;
  std::size_t posts = 0;

 private:
  void perform(const WorkRequest& request) {
    if (request.remote + request.length > remote_.size() ||
        request.local + request.length > local_.size())
      throw TransportError{"memory", "write", 0, "the write left its region"};
    auto* const to = remote_.data() + request.remote;
    const auto* const from = local_.data() + request.local;
    if (request.length == sizeof(std::uint64_t) && request.remote % sizeof(std::uint64_t) == 0) {
      // A NIC writes an aligned word whole; round trips poll for it.
      std::uint64_t word = 0;
      std::memcpy(&word, from, sizeof word);
      std::atomic_ref{*reinterpret_cast<std::uint64_t*>(to)}.store(word, std::memory_order_release);
      return;
    }
    std::memcpy(to, from, request.length);
  }
  std::span<std::byte> local_, remote_;
  std::size_t depth_;
  std::deque<WorkRequest> queue_;
};

}  // namespace qpcast::hw
