/// The 16 B segments of which an mlx5 send WQE consists, and the opcodes and flags in them.
///
/// Names in brackets are those of rdma-core's mlx5dv.h, whose structures the tests compare with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/wqe/big_endian.hpp"

namespace qpcast::hw::wqe {

inline constexpr std::uint32_t segment_bytes = 16;
inline constexpr std::uint32_t block_bytes = 64;  ///< basic block [MLX5_SEND_WQE_BB]
inline constexpr std::uint32_t segments_per_block = block_bytes / segment_bytes;
inline constexpr std::uint32_t most_segments = 63;  ///< the count has six bits
inline constexpr std::uint32_t largest_inline = 220;

/// [MLX5_OPCODE_*]
enum class Opcode : std::uint8_t {
  nop = 0x00,
  rdma_write = 0x08,
  rdma_write_immediate = 0x09,
  atomic_fetch_add = 0x12,
};

/// Completion and fence flags of the control segment [fm_ce_se].
namespace flag {
inline constexpr std::uint8_t none = 0;
inline constexpr std::uint8_t solicited = 1U << 1;    ///< [MLX5_WQE_CTRL_SOLICITED]
inline constexpr std::uint8_t signalled = 2U << 2;    ///< [MLX5_WQE_CTRL_CQ_UPDATE]
inline constexpr std::uint8_t small_fence = 1U << 5;  ///< [MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE]
inline constexpr std::uint8_t fence = 4U << 5;        ///< [MLX5_WQE_CTRL_FENCE]
}  // namespace flag

/// Sixteen bytes as they lie in the queue.
struct alignas(16) Segment {
  std::uint32_t word[4];
};
static_assert(sizeof(Segment) == segment_bytes);

/// [mlx5_wqe_ctrl_seg]; `flags` is signature 8 | DCI stream 16 | fm_ce_se 8.
struct alignas(16) ControlSegment {
  be32 opmod_index_opcode, qpn_ds, flags, immediate;
};
static_assert(sizeof(ControlSegment) == segment_bytes);
static_assert(offsetof(ControlSegment, qpn_ds) == 4 && offsetof(ControlSegment, immediate) == 12);

/// [mlx5_wqe_raddr_seg]
struct alignas(16) RemoteAddressSegment {
  be64 address;
  be32 key, reserved;
};
static_assert(sizeof(RemoteAddressSegment) == segment_bytes);
static_assert(offsetof(RemoteAddressSegment, key) == 8);

/// [mlx5_wqe_data_seg]. A byte count of 0 means 2 GiB: an empty message has no data segment.
struct alignas(16) DataPointerSegment {
  be32 byte_count, key;
  be64 address;
};
static_assert(sizeof(DataPointerSegment) == segment_bytes);
static_assert(offsetof(DataPointerSegment, address) == 8);

/// [mlx5_wqe_atomic_seg]
struct alignas(16) AtomicSegment {
  be64 swap_add, compare;
};
static_assert(sizeof(AtomicSegment) == segment_bytes);

/// [mlx5_wqe_inl_data_seg]: the payload follows at once, in the same segment.
struct InlineHeader {
  be32 byte_count;
};
static_assert(sizeof(InlineHeader) == 4);
inline constexpr std::uint32_t inline_mark = 0x80000000U;  ///< [MLX5_INLINE_SEG]
inline constexpr std::uint32_t inline_room_in_first =
    segment_bytes - static_cast<std::uint32_t>(sizeof(InlineHeader));

/// First 16 B of [mlx5_wqe_av]: all of a compact DC address vector.
struct alignas(16) AddressVectorSegment {
  be64 access_key;
  be32 extended_dct;  ///< extended mark 1 | DCT number 24
  std::uint8_t rate_sl, source_path;
  be16 remote_lid;
};
static_assert(sizeof(AddressVectorSegment) == segment_bytes);
static_assert(offsetof(AddressVectorSegment, extended_dct) == 8);
static_assert(offsetof(AddressVectorSegment, remote_lid) == 14);
inline constexpr std::uint32_t extended_mark = 0x80000000U;  ///< [MLX5_EXTENDED_UD_AV]
inline constexpr std::uint32_t number_mask = 0xffffff;       ///< queue and DCT numbers

/// Middle 16 B of a 48 B address vector.
struct alignas(16) AddressVectorRoute {
  std::uint8_t reserved[4];
  std::uint8_t remote_mac[6];
  std::uint8_t traffic_class, hop_limit;
  be32 grh_gid_flow;
};
static_assert(sizeof(AddressVectorRoute) == segment_bytes);
static_assert(offsetof(AddressVectorRoute, grh_gid_flow) == 12);

/// Last 16 B of a 48 B address vector.
struct alignas(16) AddressVectorGid {
  std::uint8_t remote_gid[16];
};
static_assert(sizeof(AddressVectorGid) == segment_bytes);

}  // namespace qpcast::hw::wqe
