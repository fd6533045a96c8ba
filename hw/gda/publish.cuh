/// Publication: how threads that share a queue pair reserve blocks and announce them in order.
///
///   exclusive           one thread per queue pair: its index is in a register
///   lock-per-wqe        a lock around reserve, build and ring
///   thread-handoff      reserve, build in parallel, announce in turn; one lane of each warp
///   warp-synchronised   the same with all lanes of a warp, which meet after each put
///   warp-drifting       the same without meeting
///   warp-cooperative    one lane reserves for 32, all build, one announces
///
/// The turn passes in reservation order through SharedState::published. A doorbell is fenced
/// before the turn passes whatever the ordering, since an older index behind a newer one would
/// make the NIC step back. Source: arXiv 2610.01380, section 4.3.1.
#pragma once

#include "hw/gda/complete.cuh"
#include "hw/gda/ring.cuh"

namespace qpcast::hw::gda {

__device__ inline bool await_turn(const QueuePair& qp, std::uint64_t base,
                                  const Patience& patience) {
  return spin(patience, Failure::no_turn,
              [&] { return load_volatile(&qp.shared->published) == base; });
}

/// Announces [base, end) in turn. The caller has ordered its WQEs.
template <Ordering scope>
__device__ inline bool ring_in_turn(const QueuePair& qp, std::uint64_t base, std::uint64_t end,
                                    const Patience& patience) {
  if (!await_turn(qp, base, patience)) return false;
  ring<scope>(qp, end);
  __threadfence();
  store_volatile(&qp.shared->published, static_cast<unsigned long long>(end));
  return true;
}

/// An owner's batch: `count` messages numbered from `first`, one doorbell.
template <Ordering scope, class Write, class Vector>
__device__ inline bool put_alone(const QueuePair& qp, const Writes& writes, std::uint64_t first,
                                 std::uint32_t count, Cursor& at, const Patience& patience) {
  const std::uint64_t end = at.next + 1ULL * count * writes.blocks;
  if (!await_room(qp, writes, at.next, end, at.known, patience)) return false;
  const auto vector = vector_of<Vector>(qp);
  const std::uint32_t newest = count - 1;
#pragma unroll 4
  for (std::uint32_t i = 0; i < newest; ++i, at.next += writes.blocks)
    Write::build(qp, writes, at.next, wqe::flag::none, first + i, vector);
  Write::build(qp, writes, at.next, wqe::flag::signalled, first + newest, vector);
  at.next = end;
  announce<scope>(qp, end);
  return true;
}

/// One thread's put on a queue pair that it shares, slot by slot.
template <Ordering scope, class Write, class Vector>
__device__ inline bool put_in_turn(const QueuePair& qp, const Writes& writes, std::uint64_t message,
                                   Cursor& at, const Patience& patience) {
  const std::uint64_t base = atomicAdd(&qp.shared->reserved, 1ULL * writes.blocks);
  at.next = base + writes.blocks;
  if (!await_room(qp, writes, base, at.next, at.known, patience)) return false;
  Write::build(qp, writes, base, wqe::flag::signalled, message, vector_of<Vector>(qp));
  order<scope>();
  return ring_in_turn<scope>(qp, base, at.next, patience);
}

/// The part of a locked put between lock and unlock.
template <Ordering scope, class Write, class Vector>
__device__ inline bool put_holding_lock(const QueuePair& qp, const Writes& writes,
                                        std::uint64_t message, Cursor& at,
                                        const Patience& patience) {
  const std::uint64_t base = load_volatile(&qp.shared->reserved);
  at.next = base + writes.blocks;
  if (!await_room(qp, writes, base, at.next, at.known, patience)) return false;
  Write::build(qp, writes, base, wqe::flag::signalled, message, vector_of<Vector>(qp));
  announce<scope>(qp, at.next);
  store_volatile(&qp.shared->reserved, static_cast<unsigned long long>(at.next));
  store_volatile(&qp.shared->published, static_cast<unsigned long long>(at.next));
  return true;
}

/// One put with a lock around all of it.
template <Ordering scope, class Write, class Vector>
__device__ inline bool put_locked(const QueuePair& qp, const Writes& writes, std::uint64_t message,
                                  Cursor& at, const Patience& patience) {
  bool put = false;
  // From lock to unlock inside the loop: lanes of one warp contend, and the one that holds the
  // lock must not wait for those that spin.
  const bool went = spin(patience, Failure::no_turn, [&] {
    if (atomicCAS(&qp.shared->lock, 0U, 1U) != 0) return false;
    __threadfence();
    put = put_holding_lock<scope, Write, Vector>(qp, writes, message, at, patience);
    __threadfence();
    atomicExch(&qp.shared->lock, 0U);
    return true;
  });
  return went && put;
}

/// Lane 0's reservation for its warp. @return 0 when the run is over, else base + 1
__device__ inline std::uint64_t reserve_together(const QueuePair& qp, const Writes& writes,
                                                 std::uint64_t blocks, Cursor& at,
                                                 const Patience& patience) {
  const std::uint64_t base =
      atomicAdd(&qp.shared->reserved, static_cast<unsigned long long>(blocks));
  return await_room(qp, writes, base, base + blocks, at.known, patience) ? base + 1 : 0;
}

/// A warp's put of `each` messages per lane, numbered from `first`, announced by lane 0.
template <Ordering scope, class Write, class Vector>
__device__ inline bool put_together(const QueuePair& qp, const Writes& writes, std::uint64_t first,
                                    std::uint32_t each, Cursor& at, const Patience& patience) {
  constexpr unsigned all = 0xffffffffU;
  constexpr std::uint32_t lanes = 32;
  const std::uint32_t lane = threadIdx.x % lanes;
  const std::uint64_t blocks = 1ULL * lanes * each * writes.blocks;
  std::uint64_t base = lane == 0 ? reserve_together(qp, writes, blocks, at, patience) : 0;
  base = __shfl_sync(all, base, 0);
  if (base-- == 0) return false;
  for (std::uint32_t i = 0; i < each; ++i) {
    const std::uint32_t k = i * lanes + lane;
    const auto flags = k + 1 == lanes * each ? wqe::flag::signalled : wqe::flag::none;
    Write::build(qp, writes, base + 1ULL * k * writes.blocks, flags, first + k,
                 vector_of<Vector>(qp));
  }
  at.next = base + blocks;
  __syncwarp();  // lane 0's fence covers what the other lanes stored before
  bool done = true;
  if (lane == 0) {
    order<scope>();
    done = ring_in_turn<scope>(qp, base, at.next, patience);
  }
  return __shfl_sync(all, done ? 1 : 0, 0) != 0;
}

}  // namespace qpcast::hw::gda
