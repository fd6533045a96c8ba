/// Completion: a signalled WQE's entry retires everything before it in its queue.
///
/// The completion queue is collapsed: the NIC writes every entry to the same place, so that one
/// 8 B load tells how far it is and nobody keeps a consumer index.
#pragma once

#include "hw/gda/queue_pair.hpp"
#include "hw/gda/spin.cuh"
#include "hw/wqe/completion.hpp"

namespace qpcast::hw::gda {

/// Blocks the NIC has finished, at most `upto`. Right while upto - result is below 65,536, the
/// reach of an entry's 16-bit index.
__device__ inline std::uint64_t retired(const QueuePair& qp, const Writes& writes,
                                        std::uint64_t upto, const Patience& patience) {
  const auto tail = wqe::read_tail(load_volatile(qp.newest));
  if (tail.kind == wqe::CompletionKind::invalid) return 0;
  if (tail.kind == wqe::CompletionKind::requester_error) {
    patience.fail(Failure::error_entry);
    return 0;
  }
  const auto end = static_cast<std::uint16_t>(tail.wqe_counter + writes.retires);
  return upto - static_cast<std::uint16_t>(static_cast<std::uint16_t>(upto) - end);
}

/// Blocks below `index` are finished. Right while fewer than 32,768 lie between them and the
/// newest.
__device__ inline bool reached(const QueuePair& qp, const Writes& writes, std::uint64_t index,
                               const Patience& patience) {
  const auto tail = wqe::read_tail(load_volatile(qp.newest));
  if (tail.kind == wqe::CompletionKind::invalid) return false;
  if (tail.kind == wqe::CompletionKind::requester_error) {
    patience.fail(Failure::error_entry);
    return false;
  }
  const auto ahead = tail.wqe_counter + writes.retires - static_cast<std::uint32_t>(index);
  return static_cast<std::int16_t>(ahead) >= 0;
}

/// Waits until blocks below `index` are finished.
__device__ inline bool await(const QueuePair& qp, const Writes& writes, std::uint64_t index,
                             const Patience& patience) {
  return spin(patience, Failure::no_completion,
              [&] { return reached(qp, writes, index, patience); });
}

/// Waits until the ring has room for blocks up to `end`; `known` caches what has been retired, so
/// that the entry is read once per ring and not once per WQE.
__device__ inline bool await_room(const QueuePair& qp, const Writes& writes, std::uint64_t begin,
                                  std::uint64_t end, std::uint64_t& known,
                                  const Patience& patience) {
  const std::uint64_t depth = qp.send.depth();
  if (end - known <= depth) return true;
  return spin(patience, Failure::no_room, [&] {
    known = retired(qp, writes, begin, patience);
    return end - known <= depth;
  });
}

/// Waits for one queue pair of a completion scope: nothing to do unless it has work outstanding,
/// which its shared state tells.
__device__ inline bool visit(const QueuePair& qp, const Writes& writes, const Patience& patience) {
  const auto published = load_volatile(&qp.shared->published);
  if (load_volatile(&qp.shared->retired) == published) return true;
  if (!await(qp, writes, published, patience)) return false;
  store_volatile(&qp.shared->retired, published);
  return true;
}

}  // namespace qpcast::hw::gda
