/// A peer in this process: the far end of a loopback, and what a server drives on its own node.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "hw/experiments/peer.hpp"

namespace qpcast::hw {

class LocalPeer final : public Peer {
 public:
  explicit LocalPeer(Nic& nic) : nic_{nic} {}
  ~LocalPeer() override;
  std::vector<Address> open(const LinkSpec& spec, std::span<const Address> ours) override;
  void clear() override;
  std::optional<std::uint64_t> check(std::uint64_t seed, const PayloadShape& shape) override;
  void start_echo() override;
  void stop_echo() override;
  void close() override;

 private:
  void echo(const std::stop_token& stop);
  Nic& nic_;
  LinkSpec spec_;
  std::unique_ptr<Region> region_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::exception_ptr failure_;
  std::jthread echo_;
};

/// The word at `offset`, as the NIC last wrote it.
std::uint64_t load_word(Region& region, std::uint64_t offset);
void store_word(Region& region, std::uint64_t offset, std::uint64_t value);

}  // namespace qpcast::hw
