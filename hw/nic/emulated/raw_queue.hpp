/// A queue pair of the tests: memory, and the submitter's few steps on it, by hand.
#pragma once

#include <vector>

#include "hw/nic/emulated/engine.hpp"
#include "hw/wqe/doorbell.hpp"
#include "hw/wqe/encode.hpp"

namespace qpcast::hw::emulated {

struct alignas(64) Block {
  wqe::Segment segments[wqe::segments_per_block];
};

class RawQueue {
 public:
  explicit RawQueue(std::uint32_t depth, std::uint32_t log_entries = 6)
      : blocks(depth),
        entries(1U << log_entries, unwritten()),
        received(1U << log_entries, unwritten()),
        log_depth{log_entries} {}
  RawQueue(const RawQueue&) = delete;
  RawQueue& operator=(const RawQueue&) = delete;

  QueueMemory memory() {
    QueueMemory memory;
    memory.send_queue = blocks.data();
    memory.depth = static_cast<std::uint32_t>(blocks.size());
    memory.record = record;
    memory.doorbell = &doorbell;
    memory.completions = {entries.data(), log_depth, false, consumer_record};
    return memory;
  }
  CompletionMemory receive_memory() {
    return {received.data(), log_depth, false, receive_consumer_record};
  }
  wqe::SendQueue queue() {
    return wqe::make_send_queue(blocks.data(), static_cast<std::uint32_t>(blocks.size()), number);
  }

  void ring() { ring_up_to(next); }
  void ring_up_to(std::uint32_t block) {
    store_release(&record[wqe::send_record], wqe::send_record_value(block));
    store_release(&doorbell, wqe::doorbell_value(block, number));
  }

  /// The next completion. @return there was one
  bool poll(wqe::CompletionTail& tail, wqe::CompletionEntry& entry) {
    return take(entries, consumed, consumer_record, tail, entry);
  }
  bool poll_received(wqe::CompletionTail& tail, wqe::CompletionEntry& entry) {
    return take(received, receive_consumed, receive_consumer_record, tail, entry);
  }

  std::vector<Block> blocks;
  std::vector<wqe::CompletionEntry> entries, received;
  std::uint32_t log_depth;
  std::uint32_t record[2]{}, consumer_record[2]{}, receive_consumer_record[2]{};
  std::uint64_t doorbell = 0;
  std::uint32_t number = 0;
  std::uint32_t next = 0;  ///< block that the next WQE starts in
  std::uint32_t consumed = 0, receive_consumed = 0;

 private:
  static wqe::CompletionEntry unwritten() {
    wqe::CompletionEntry entry{};
    entry.kind_owner = wqe::unwritten_entry;
    return entry;
  }
  bool take(const std::vector<wqe::CompletionEntry>& from, std::uint32_t& index,
            std::uint32_t* consumer, wqe::CompletionTail& tail, wqe::CompletionEntry& entry) {
    const auto& found = from[index & (from.size() - 1)];
    tail = wqe::read_tail(load_acquire(reinterpret_cast<const std::uint64_t*>(
        reinterpret_cast<const char*>(&found) + wqe::tail_offset)));
    if (!wqe::is_new(tail, index, log_depth)) return false;
    std::memcpy(&entry, &found, wqe::tail_offset);
    store_release(&consumer[wqe::consumer_record], wqe::consumer_record_value(++index));
    return true;
  }
};

}  // namespace qpcast::hw::emulated
