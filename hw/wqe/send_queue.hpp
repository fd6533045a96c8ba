/// The ring of basic blocks that a submitter writes and the NIC reads.
///
/// A block index counts on for ever; its low 16 bits are the WQE index, its low log2(depth) bits
/// the place in the ring. A WQE may start in the last block and continue in the first; a segment
/// never straddles the end.
#pragma once

#include <cstring>

#include "hw/wqe/segments.hpp"

namespace qpcast::hw::wqe {

inline constexpr std::uint32_t deepest_queue = 32768;  ///< blocks; indices have 16 bits

struct SendQueue {
  Segment* segments = nullptr;     ///< 4 per block, 64 B aligned
  std::uint32_t segment_mask = 0;  ///< 4 depth - 1, depth a power of two
  std::uint32_t qpn = 0;

  QPCAST_HOST_DEVICE std::uint32_t depth() const { return (segment_mask + 1) / segments_per_block; }
  /// Segment `i` of the WQE that starts in block `index`. Blocks do not straddle the end, so that
  /// a constant `i` costs one address per block and an offset per segment.
  QPCAST_HOST_DEVICE Segment* at(std::uint32_t index, std::uint32_t i) const {
    const std::uint32_t block = index + i / segments_per_block;
    return segments + (block * segments_per_block & segment_mask) + i % segments_per_block;
  }
};

/// @param memory  depth * 64 B, 64 B aligned; depth a power of two up to 32,768
inline SendQueue make_send_queue(void* memory, std::uint32_t depth, std::uint32_t qpn) {
  return {static_cast<Segment*>(memory), depth * segments_per_block - 1, qpn};
}

QPCAST_HOST_DEVICE constexpr std::uint32_t blocks_of(std::uint32_t segments) {
  return (segments + segments_per_block - 1) / segments_per_block;
}

/// One 16 B vector store.
template <class Layout>
QPCAST_HOST_DEVICE inline void store(Segment* to, const Layout& layout) {
  static_assert(sizeof(Layout) == segment_bytes);
  static_assert(alignof(Layout) == segment_bytes);
#ifdef __CUDA_ARCH__
  uint4 vector;
  memcpy(&vector, &layout, sizeof vector);
  *reinterpret_cast<uint4*>(to) = vector;
#else
  std::memcpy(to, &layout, sizeof layout);
#endif
}

template <class Layout>
QPCAST_HOST_DEVICE inline Layout load(const Segment* from) {
  static_assert(sizeof(Layout) == segment_bytes);
  static_assert(alignof(Layout) == segment_bytes);
  Layout layout;
#ifdef __CUDA_ARCH__
  const uint4 vector = *reinterpret_cast<const uint4*>(from);
  memcpy(&layout, &vector, sizeof vector);
#else
  std::memcpy(&layout, from, sizeof layout);
#endif
  return layout;
}

}  // namespace qpcast::hw::wqe
