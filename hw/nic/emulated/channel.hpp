/// A CPU submitter's queue pair on the emulated NIC: the same WQEs, records and doorbells that a
/// GPU writes, in host memory.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "hw/nic/emulated/server.hpp"
#include "hw/nic/nic.hpp"
#include "hw/wqe/encode.hpp"

namespace qpcast::hw::emulated {

class EmulatedRegion final : public Region {
 public:
  EmulatedRegion(std::shared_ptr<Server> server, std::size_t bytes);
  ~EmulatedRegion() override;
  EmulatedRegion(const EmulatedRegion&) = delete;
  EmulatedRegion& operator=(const EmulatedRegion&) = delete;
  std::span<std::byte> bytes() override {
    return std::as_writable_bytes(std::span{words_}).first(size_);
  }
  std::uint32_t key() const { return key_; }

 private:
  std::shared_ptr<Server> server_;
  std::vector<std::uint64_t> words_;
  std::size_t size_;
  std::uint32_t key_;
};

class EmulatedChannel final : public Channel {
 public:
  EmulatedChannel(std::shared_ptr<Server> server, EmulatedRegion& region,
                  const ChannelOptions& options);
  ~EmulatedChannel() override;
  EmulatedChannel(const EmulatedChannel&) = delete;
  EmulatedChannel& operator=(const EmulatedChannel&) = delete;

  Address address() const override;
  void connect(const Address& peer) override;
  void post(std::span<const WorkRequest> chain) override;
  std::size_t poll(std::span<Completed> completions) override;
  std::uint32_t number() const { return queue_.qpn; }

 private:
  struct Signalled {
    std::uint32_t block;     ///< the WQE's first
    std::uint32_t requests;  ///< posted up to and with it
    std::uint64_t id;
  };
  struct alignas(64) Block {
    wqe::Segment segments[wqe::segments_per_block];
  };

  std::uint32_t encode(const WorkRequest& request);
  std::uint32_t encode_inline(const WorkRequest& request, std::uint8_t flags);
  void check(const WorkRequest& request) const;
  void announce();
  bool next_completion();
  void check_event();
  [[noreturn]] void fail(const wqe::CompletionEntry& entry);

  std::shared_ptr<Server> server_;
  EmulatedRegion& region_;
  ChannelOptions options_;
  Address peer_;
  std::vector<Block> blocks_;
  std::vector<wqe::CompletionEntry> entries_;
  std::uint32_t log_entries_;
  std::uint32_t record_[2]{};  // what the NIC reads, as it lies in memory
  std::uint32_t consumer_record_[2]{};
  std::uint64_t doorbell_ = 0;
  wqe::SendQueue queue_;
  std::uint32_t next_block_ = 0, consumed_ = 0;
  std::uint32_t posted_ = 0, finished_ = 0;  // requests
  std::uint32_t retired_block_ = 0;          // newest block that a completion has named
  bool retired_ = false;
  std::deque<Signalled> signalled_;
  std::uint32_t idle_polls_ = 0;
};

}  // namespace qpcast::hw::emulated
