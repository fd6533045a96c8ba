/// The 64 B completion queue entry.
///
/// The NIC writes the entry and, last, its final 8 B, which hold what a poller needs: one 8 B load
/// tells whether the entry is new (owner bit), of which kind, and which WQE it retires. Names in
/// brackets are those of rdma-core's mlx5dv.h.
#pragma once

#include <cstddef>

#include "hw/wqe/big_endian.hpp"

namespace qpcast::hw::wqe {

/// [MLX5_CQE_*], in the high four bits of op_own.
enum class CompletionKind : std::uint8_t {
  requester = 0,
  responder_write_immediate = 1,
  requester_error = 13,
  responder_error = 14,
  invalid = 15,  ///< the NIC has never written this entry
};

/// [MLX5_CQE_SYNDROME_*]
enum class Syndrome : std::uint8_t {
  none = 0,
  local_length = 0x01,
  local_qp_operation = 0x02,
  local_protection = 0x04,
  flushed = 0x05,
  remote_invalid_request = 0x12,
  remote_access = 0x13,
  remote_operation = 0x14,
  retries_exceeded = 0x15,
  receiver_not_ready = 0x16,
};

/// [mlx5_cqe64], [mlx5_err_cqe]
struct alignas(64) CompletionEntry {
  std::uint8_t reserved[32];
  be32 srqn;
  be32 immediate;
  std::uint8_t app, app_op;
  be16 app_info;
  be32 byte_count;
  be32 timestamp_high;
  be32 timestamp_low;  ///< of an error: reserved 16 | vendor syndrome 8 | syndrome 8
  be32 opcode_qpn;     ///< send opcode 8 | queue pair number 24
  be16 wqe_counter;
  std::uint8_t signature;
  std::uint8_t kind_owner;
};
static_assert(sizeof(CompletionEntry) == 64);
static_assert(offsetof(CompletionEntry, timestamp_high) == 48);
static_assert(offsetof(CompletionEntry, opcode_qpn) == 56);
static_assert(offsetof(CompletionEntry, wqe_counter) == 60);

/// What memory that the NIC has not written yet must hold.
inline constexpr std::uint8_t unwritten_entry = 0xf1;

/// The entry's final 8 B, decoded.
struct CompletionTail {
  std::uint8_t send_opcode;
  std::uint32_t qpn;
  std::uint16_t wqe_counter;  ///< index of the WQE's first block
  CompletionKind kind;
  bool owner;
};
inline constexpr std::size_t tail_offset = offsetof(CompletionEntry, opcode_qpn);

QPCAST_HOST_DEVICE inline CompletionTail read_tail(std::uint64_t raw) {
  const std::uint32_t opcode_qpn = swap_bytes(static_cast<std::uint32_t>(raw));
  const std::uint32_t rest = swap_bytes(static_cast<std::uint32_t>(raw >> 32));
  return {static_cast<std::uint8_t>(opcode_qpn >> 24), opcode_qpn & 0xffffff,
          static_cast<std::uint16_t>(rest >> 16), static_cast<CompletionKind>(rest >> 4 & 0xf),
          (rest & 1) != 0};
}

QPCAST_HOST_DEVICE inline std::uint64_t tail_value(const CompletionTail& tail) {
  const std::uint32_t opcode_qpn =
      static_cast<std::uint32_t>(tail.send_opcode) << 24 | (tail.qpn & 0xffffff);
  const std::uint32_t rest = static_cast<std::uint32_t>(tail.wqe_counter) << 16 |
                             static_cast<std::uint32_t>(tail.kind) << 4 | (tail.owner ? 1U : 0U);
  return static_cast<std::uint64_t>(swap_bytes(rest)) << 32 | swap_bytes(opcode_qpn);
}

/// The owner bit of entry number `index` (counting on for ever) of a ring of 2^log_depth.
QPCAST_HOST_DEVICE constexpr bool owner_of(std::uint32_t index, std::uint32_t log_depth) {
  return (index >> log_depth & 1) != 0;
}

/// Entry number `index` has been written.
QPCAST_HOST_DEVICE inline bool is_new(const CompletionTail& tail, std::uint32_t index,
                                      std::uint32_t log_depth) {
  return tail.kind != CompletionKind::invalid && tail.owner == owner_of(index, log_depth);
}

struct ErrorDetail {
  Syndrome syndrome;
  std::uint8_t vendor;
};
QPCAST_HOST_DEVICE inline ErrorDetail error_detail(const CompletionEntry& entry) {
  const std::uint32_t low = entry.timestamp_low;
  return {static_cast<Syndrome>(low & 0xff), static_cast<std::uint8_t>(low >> 8 & 0xff)};
}

}  // namespace qpcast::hw::wqe
