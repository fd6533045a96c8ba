/// Builds one message's WQE: inline or by pointer, RC or DC.
#pragma once

#include "hw/gda/queue_pair.hpp"

namespace qpcast::hw::gda {

__device__ inline std::uint64_t slot_offset(const Writes& writes, std::uint64_t message) {
  const auto slot = message < writes.slots ? message : message % writes.slots;
  return slot * writes.stride;
}

__device__ inline wqe::Remote target(const Writes& writes, std::uint64_t message) {
  return {writes.remote.address + slot_offset(writes, message), writes.remote.key};
}

/// Inline payload; `Vector` is wqe::Connected or wqe::CompactVector.
template <class Vector>
struct InlineWrite {
  __device__ static void build(const QueuePair& qp, const Writes& writes, std::uint64_t block,
                               std::uint8_t flags, std::uint64_t message, const Vector& vector) {
    const auto index = static_cast<std::uint32_t>(block);
    const PatternPayload payload{message};
    // The length of the common case is a constant, so that its stores are straight-line code.
    if (writes.length == 8)
      wqe::write_inline(qp.send, index, flags, target(writes, message), payload, 8, vector);
    else
      wqe::write_inline(qp.send, index, flags, target(writes, message), payload, writes.length,
                        vector);
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
