/// Builds one message's WQE: inline or by pointer, RC or DC.
#pragma once

#include "hw/gda/queue_pair.hpp"

namespace qpcast::hw::gda {

__device__ inline std::uint64_t slot_offset(const Writes& writes, std::uint64_t message) {
  // Slots and strides of a run fit in 32 bits, and that product is one instruction.
  const auto slot = static_cast<std::uint32_t>(message & writes.slot_mask);
  return std::uint64_t{slot} * writes.stride;
}

__device__ inline wqe::Remote target(const Writes& writes, std::uint64_t message) {
  return {writes.remote.address + slot_offset(writes, message), writes.remote.key};
}

/// Inline payload; `Vector` is wqe::Connected or wqe::CompactVector.
template <class Vector>
struct InlineWrite {
  __device__ static void build(const QueuePair& qp, const Writes& writes, std::uint64_t block,
                               std::uint8_t flags, std::uint64_t message, const Vector& vector) {
    wqe::write_inline(qp.send, static_cast<std::uint32_t>(block), flags, target(writes, message),
                      PatternPayload{message}, writes.length, vector);
  }
};

template <class Vector>
struct PointerWrite {
  __device__ static void build(const QueuePair& qp, const Writes& writes, std::uint64_t block,
                               std::uint8_t flags, std::uint64_t message, const Vector& vector) {
    const wqe::Local source{writes.source.address + slot_offset(writes, message),
                            writes.source.key};
    wqe::write_pointer(qp.send, static_cast<std::uint32_t>(block), flags, target(writes, message),
                       source, writes.length, vector);
  }
};

/// The vector that a queue pair's WQEs carry.
template <class Vector>
__device__ inline Vector vector_of(const QueuePair& qp) {
  if constexpr (Vector::segments == 0)
    return {};
  else
    return qp.target;
}

}  // namespace qpcast::hw::gda
