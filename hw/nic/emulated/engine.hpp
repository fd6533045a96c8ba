/// The emulated NIC's engine: looks at a queue pair's doorbell, and serves what it announces.
///
/// In `execute` mode it behaves as the adapter does: a new value in the doorbell slot makes it read
/// the doorbell record, which says up to where WQEs may be fetched; each is checked, carried out
/// and, where it asks, completed. A WQE that is malformed or refused gets an error completion with
/// syndrome and vendor syndrome (wqe::Defect or Refusal), the queue pair goes to error, and later
/// WQEs are flushed. In `sink` mode it reads the doorbell slot and nothing else, retires up to the
/// index there, and posts one completion for the newest block: nothing of the NIC but the doorbell
/// and the completion costs the submitter time.
///
/// Both run on a CPU thread or a GPU thread. One thread at a time serves a queue pair, and the
/// queue pairs that it sends immediates to.
#pragma once

#include "hw/nic/emulated/perform.hpp"

namespace qpcast::hw::emulated {

enum class Mode : std::uint8_t { execute, sink };

namespace detail {

QPCAST_HOST_DEVICE inline void fail(Queue& queue, wqe::Opcode opcode, wqe::Syndrome syndrome,
                                    std::uint8_t vendor) {
  ++queue.counters.errors;
  queue.condition = Condition::error;
  complete_with_error(queue, opcode, queue.fetched, syndrome, vendor);
  // After the completion, which says more: who sees the event looks for it once more.
  if (!overran(queue)) store_release(&queue.event, static_cast<std::uint32_t>(Event::queue_error));
}

QPCAST_HOST_DEVICE inline void fail(Queue& queue, Refusal refusal) {
  fail(queue, wqe::Opcode::nop, wqe::Syndrome::local_qp_operation,
       static_cast<std::uint8_t>(refusal));
}

/// The count of blocks, at or after `from`, whose low 16 bits are `low`.
QPCAST_HOST_DEVICE inline std::uint32_t extend(std::uint32_t from, std::uint16_t low) {
  return from + static_cast<std::uint16_t>(low - from);
}

/// Reads the doorbell and, when it is new, the record.
QPCAST_HOST_DEVICE inline void look(Queue& queue) {
  const std::uint64_t slot = load_acquire(queue.memory.doorbell);
  if (slot == queue.seen) return;
  behind_a_doorbell();
  const auto told = wqe::read_doorbell(slot);
  const auto record = static_cast<std::uint16_t>(
      wqe::swap_bytes(load_acquire(queue.memory.record + wqe::send_record)));
  // A doorbell may overtake its record when the submitter orders nothing. The adapter would miss
  // those WQEs until the next doorbell; the emulation counts it, and looks again.
  if (static_cast<std::int16_t>(told.next - record) > 0) {
    if (queue.suspect != slot) ++queue.counters.record_behind;
    queue.suspect = slot;
  } else {
    queue.seen = slot;
  }
  queue.announced = extend(queue.fetched, record);
  if (queue.condition == Condition::error) return;
  if (told.qpn != queue.send.qpn)
    fail(queue, Refusal::doorbell_number);
  else if (queue.announced - queue.fetched > queue.memory.depth)
    fail(queue, Refusal::announced);
}

/// @return blocks taken
QPCAST_HOST_DEVICE inline std::uint32_t serve(const Adapter& adapter, Queue& queue) {
  wqe::Decoded wqe;
  auto defect = wqe::decode(queue.send, queue.fetched, queue.memory.dc, wqe);
  const std::uint32_t blocks = wqe::blocks_of(wqe.segments);
  if (defect == wqe::Defect::none && blocks > queue.announced - queue.fetched)
    defect = wqe::Defect::segment_count;
  if (defect != wqe::Defect::none) {
    fail(queue, wqe.opcode, wqe::Syndrome::local_qp_operation, static_cast<std::uint8_t>(defect));
    return 1;
  }
  const auto outcome = perform(adapter, queue, wqe);
  if (outcome.syndrome != wqe::Syndrome::none) {
    fail(queue, wqe.opcode, outcome.syndrome, static_cast<std::uint8_t>(outcome.refusal));
    return blocks;
  }
  ++queue.counters.served;
  if ((wqe.flags & wqe::flag::signalled) != 0) complete(queue, wqe.opcode, queue.fetched);
  return blocks;
}

/// Every WQE behind an error is completed as flushed; blocks that hold none are passed over.
QPCAST_HOST_DEVICE inline std::uint32_t flush(Queue& queue) {
  wqe::Decoded wqe;
  if (wqe::decode(queue.send, queue.fetched, queue.memory.dc, wqe) != wqe::Defect::none) return 1;
  ++queue.counters.flushed;
  complete_with_error(queue, wqe.opcode, queue.fetched, wqe::Syndrome::flushed, 0);
  return wqe::blocks_of(wqe.segments);
}

QPCAST_HOST_DEVICE inline std::uint32_t execute(const Adapter& adapter, Queue& queue,
                                                std::uint32_t most) {
  if (queue.fetched == queue.announced) look(queue);
  std::uint32_t messages = 0;
  for (; messages < most && queue.fetched != queue.announced && !overran(queue); ++messages) {
    // An index that runs away is not followed further than the ring.
    if (queue.announced - queue.fetched > queue.memory.depth)
      queue.fetched = queue.announced;
    else if (queue.condition == Condition::ready)
      queue.fetched += serve(adapter, queue);
    else
      queue.fetched += flush(queue);
  }
  return messages;
}

QPCAST_HOST_DEVICE inline std::uint32_t sink(Queue& queue, std::uint32_t most) {
  const std::uint64_t slot = load_acquire(queue.memory.doorbell);
  if (slot != queue.seen) {
    const auto told = wqe::read_doorbell(slot);
    queue.seen = slot;
    queue.announced = extend(queue.fetched, told.next);
    if (told.qpn != queue.send.qpn && queue.condition == Condition::ready)
      fail(queue, Refusal::doorbell_number);
  }
  const std::uint32_t waiting = queue.announced - queue.fetched;
  const std::uint32_t blocks = waiting < most ? waiting : most;
  if (blocks == 0) return 0;
  queue.fetched += blocks;
  const std::uint32_t newest = queue.fetched - 1;
  if (queue.condition == Condition::error) {
    queue.counters.flushed += blocks;
    complete_with_error(queue, wqe::Opcode::nop, newest, wqe::Syndrome::flushed, 0);
  } else {
    queue.counters.served += blocks;
    complete(queue, wqe::Opcode::rdma_write, newest);
  }
  return blocks;
}

}  // namespace detail

/// Blocks that are announced and not served.
QPCAST_HOST_DEVICE inline std::uint32_t backlog(Queue& queue, Mode mode) {
  if (mode == Mode::execute) {
    detail::look(queue);
    return queue.announced - queue.fetched;
  }
  const std::uint64_t slot = load_acquire(queue.memory.doorbell);
  const auto announced = slot == queue.seen
                             ? queue.announced
                             : detail::extend(queue.fetched, wqe::read_doorbell(slot).next);
  return announced - queue.fetched;
}

/// Serves up to `most` messages of one queue pair. @return how many; in sink mode blocks
QPCAST_HOST_DEVICE inline std::uint32_t step(const Adapter& adapter, Queue& queue, Mode mode,
                                             std::uint32_t most) {
  if (queue.condition == Condition::absent || overran(queue)) return 0;
  return mode == Mode::execute ? detail::execute(adapter, queue, most) : detail::sink(queue, most);
}

}  // namespace qpcast::hw::emulated
