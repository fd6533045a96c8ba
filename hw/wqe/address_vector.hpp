/// Where a DC WQE goes. A reliable connected queue pair knows its peer, so its WQEs say nothing.
///
/// Encoders take one of these three as a template parameter: `segments` of them are stored between
/// the control segment and the remote address.
#pragma once

#include "hw/wqe/send_queue.hpp"

namespace qpcast::hw::wqe {

struct Connected {
  static constexpr std::uint32_t segments = 0;
  QPCAST_HOST_DEVICE void store_at(const SendQueue&, std::uint32_t, std::uint32_t) const {}
};

/// 16 B; newer adapters route by the DCT's own path.
struct CompactVector {
  static constexpr std::uint32_t segments = 1;
  std::uint64_t access_key = 0;
  std::uint32_t dct = 0;
  std::uint16_t remote_lid = 0;
  std::uint8_t rate_sl = 0, source_path = 0;

  QPCAST_HOST_DEVICE AddressVectorSegment first(std::uint32_t mark) const {
    AddressVectorSegment segment;
    segment.access_key = access_key;
    segment.extended_dct = mark | dct;
    segment.rate_sl = rate_sl;
    segment.source_path = source_path;
    segment.remote_lid = remote_lid;
    return segment;
  }
  QPCAST_HOST_DEVICE void store_at(const SendQueue& queue, std::uint32_t index,
                                   std::uint32_t i) const {
    store(queue.at(index, i), first(0));
  }
};

/// 48 B, with the whole route.
struct FullVector {
  static constexpr std::uint32_t segments = 3;
  CompactVector target;
  AddressVectorRoute route{};
  AddressVectorGid gid{};

  QPCAST_HOST_DEVICE void store_at(const SendQueue& queue, std::uint32_t index,
                                   std::uint32_t i) const {
    store(queue.at(index, i), target.first(extended_mark));
    store(queue.at(index, i + 1), route);
    store(queue.at(index, i + 2), gid);
  }
};

}  // namespace qpcast::hw::wqe
