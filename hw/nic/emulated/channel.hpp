/// A CPU submitter's queue pair on the emulated NIC: the same WQEs, records and doorbells that a
/// GPU writes, in host memory.
#pragma once

#include <memory>
#include <vector>

#include "hw/cache_lines.hpp"
#include "hw/nic/direct/direct_queue.hpp"
#include "hw/nic/emulated/server.hpp"
#include "hw/nic/nic.hpp"

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
  std::uint32_t number() const { return queue_.number(); }

 private:
  /// The NIC's thread polls what the submitter stores; a word beside them would be fetched back and
  /// forth with them. This is what the NIC reads, as it lies in memory.
  struct Shared {
    alignas(lines_apart) std::uint32_t record[2]{};
    alignas(lines_apart) std::uint32_t consumer_record[2]{};
    alignas(lines_apart) std::uint64_t doorbell = 0;
  };
  struct alignas(64) Block {
    wqe::Segment segments[wqe::segments_per_block];
  };

  direct::DirectQueue attach(const ChannelOptions& options);
  void check_event();

  std::shared_ptr<Server> server_;
  EmulatedRegion& region_;
  std::vector<Block> blocks_;
  std::vector<wqe::CompletionEntry> entries_;
  Shared shared_;
  alignas(lines_apart) direct::DirectQueue queue_;  // last: it points at all of the above
  std::uint32_t idle_polls_ = 0;
};

}  // namespace qpcast::hw::emulated
