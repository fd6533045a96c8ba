/// Posts completion queue entries.
#pragma once

#include "hw/nic/emulated/queue.hpp"
#include "hw/nic/emulated/visible.hpp"
#include "hw/wqe/doorbell.hpp"

namespace qpcast::hw::emulated {

QPCAST_HOST_DEVICE inline bool full(const CompletionQueue& queue) {
  if (!queue.memory.consumer_record) return false;
  const std::uint32_t consumed =
      wqe::swap_bytes(load_acquire(queue.memory.consumer_record + wqe::consumer_record));
  return ((queue.produced - consumed) & wqe::consumer_mask) >= 1U << queue.memory.log_depth;
}

/// Writes the entry, its tail last. @return false when the queue is full: it has overrun
QPCAST_HOST_DEVICE inline bool post(CompletionQueue& queue, const wqe::CompletionEntry& entry,
                                    wqe::CompletionTail tail) {
  if (full(queue)) return false;
  const std::uint32_t log_depth = queue.memory.collapsed ? 0 : queue.memory.log_depth;
  const std::uint32_t slot = queue.produced & ((1U << log_depth) - 1);
  tail.owner = wqe::owner_of(queue.produced, log_depth);
  auto* const to = reinterpret_cast<char*>(queue.memory.entries + slot);
  memcpy(to, &entry, wqe::tail_offset);
  store_release(reinterpret_cast<std::uint64_t*>(to + wqe::tail_offset), wqe::tail_value(tail));
  ++queue.produced;
  return true;
}

/// The queue pair can report nothing any more: its completion queue is full.
QPCAST_HOST_DEVICE inline void overrun(Queue& queue) {
  ++queue.counters.overruns;
  queue.condition = Condition::error;
  store_release(&queue.event, static_cast<std::uint32_t>(Event::completion_overrun));
}

QPCAST_HOST_DEVICE inline bool overran(const Queue& queue) { return queue.counters.overruns != 0; }

QPCAST_HOST_DEVICE inline void complete(Queue& queue, wqe::Opcode opcode, std::uint32_t index) {
  wqe::CompletionEntry entry{};
  if (post(queue.completions, entry,
           {static_cast<std::uint8_t>(opcode), queue.send.qpn, static_cast<std::uint16_t>(index),
            wqe::CompletionKind::requester, false}))
    ++queue.counters.completions;
  else
    overrun(queue);
}

QPCAST_HOST_DEVICE inline void complete_with_error(Queue& queue, wqe::Opcode opcode,
                                                   std::uint32_t index, wqe::Syndrome syndrome,
                                                   std::uint8_t vendor) {
  wqe::CompletionEntry entry{};
  entry.timestamp_low = std::uint32_t{vendor} << 8 | static_cast<std::uint32_t>(syndrome);
  if (!post(queue.completions, entry,
            {static_cast<std::uint8_t>(opcode), queue.send.qpn, static_cast<std::uint16_t>(index),
             wqe::CompletionKind::requester_error, false}))
    overrun(queue);
}

/// A write with immediate has come in. @return false when nobody waits for one
QPCAST_HOST_DEVICE inline bool deliver_immediate(Queue& queue, std::uint32_t immediate,
                                                 std::uint32_t bytes) {
  if (!queue.receive_completions.memory.entries) return false;
  wqe::CompletionEntry entry{};
  entry.immediate = immediate;
  entry.byte_count = bytes;
  if (!post(queue.receive_completions, entry,
            {0, queue.send.qpn, 0, wqe::CompletionKind::responder_write_immediate, false}))
    overrun(queue);
  return true;
}

}  // namespace qpcast::hw::emulated
