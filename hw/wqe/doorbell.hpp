/// How a submitter announces WQEs: first the doorbell record, then the doorbell register.
///
/// WQEs and payload must be visible to the NIC before the record, the record before the register;
/// which fence makes them so is the submitter's choice and one of the things measured.
#pragma once

#include "hw/wqe/segments.hpp"

namespace qpcast::hw::wqe {

/// A doorbell record is two big-endian words. Of a queue pair's, the second counts blocks sent
/// [MLX5_SND_DBR]; of a completion queue's, the first counts entries consumed (24 bits).
inline constexpr std::uint32_t send_record = 1;
inline constexpr std::uint32_t consumer_record = 0;
inline constexpr std::uint32_t consumer_mask = 0xffffff;

/// What the record holds once blocks below `next` may be fetched, as it lies in memory.
QPCAST_HOST_DEVICE inline std::uint32_t send_record_value(std::uint32_t next) {
  return swap_bytes(next & 0xffff);
}
QPCAST_HOST_DEVICE inline std::uint32_t consumer_record_value(std::uint32_t consumed) {
  return swap_bytes(consumed & consumer_mask);
}

/// The 8 B for the doorbell register, as they lie in memory: a control segment's first half that
/// names the next free block, with a segment count of 0. The adapter takes it as well as the last
/// WQE's own first half (GPU libraries ring with this one, which needs no read of the queue).
QPCAST_HOST_DEVICE inline std::uint64_t doorbell_value(std::uint32_t next, std::uint32_t qpn) {
  return static_cast<std::uint64_t>(swap_bytes(qpn << 8)) << 32 | swap_bytes((next & 0xffff) << 8);
}

/// The last WQE's own first half, as rdma-core rings.
QPCAST_HOST_DEVICE inline std::uint64_t doorbell_value(const ControlSegment& last) {
  return static_cast<std::uint64_t>(last.qpn_ds.raw()) << 32 | last.opmod_index_opcode.raw();
}

/// What a doorbell says.
struct Announced {
  std::uint32_t qpn;
  std::uint16_t next;  ///< low 16 bits of the next free block's index
};
QPCAST_HOST_DEVICE inline Announced read_doorbell(std::uint64_t value) {
  const std::uint32_t first = swap_bytes(static_cast<std::uint32_t>(value));
  const std::uint32_t second = swap_bytes(static_cast<std::uint32_t>(value >> 32));
  const std::uint32_t segments = second & most_segments;
  const std::uint32_t blocks = (segments + segments_per_block - 1) / segments_per_block;
  return {second >> 8, static_cast<std::uint16_t>((first >> 8 & 0xffff) + blocks)};
}

}  // namespace qpcast::hw::wqe
