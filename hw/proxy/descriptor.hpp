/// The 16 B descriptor that a producer leaves in a ring for a proxy worker.
///
///   first    lap 8 | opcode 8 | tag 16 | local offset 32      (bits, most significant first)
///   second   lap 8 | length 24         | remote offset 32
///
/// Offsets and length in bytes from the start of the registered regions: up to 4 GiB and 16 MiB.
/// The lap (1 to 255, never 0) says on which round through the ring the slot was written: it makes
/// the descriptor its own validity flag, so that one posted 16 B store hands it over. Both halves
/// carry it, because only a GPU or a vector store writes the two together.
/// Source: arXiv 2610.01380, section on mini-proxy (16 B entries, validity in the descriptor).
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define QPCAST_RING_FUNCTION __host__ __device__
#else
#define QPCAST_RING_FUNCTION
#endif

namespace qpcast::hw {

enum class RequestKind : std::uint8_t { write = 1, fetch_add = 2 };

/// What a producer asks for.
struct Request {
  std::uint32_t local = 0;   ///< offset in the local region, B
  std::uint32_t remote = 0;  ///< offset in the peer's region, B
  std::uint32_t length = 0;  ///< B, below 2^24
  std::uint16_t tag = 0;     ///< the producer's own
  RequestKind kind = RequestKind::write;
  bool operator==(const Request&) const = default;
};

struct alignas(16) Descriptor {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
static_assert(sizeof(Descriptor) == 16);
static_assert(alignof(Descriptor) == 16);

inline constexpr std::uint32_t largest_request = (1U << 24) - 1;

/// The lap of the `index`-th descriptor ever put into a ring of `capacity`.
QPCAST_RING_FUNCTION constexpr std::uint64_t lap_of(std::uint64_t index, std::uint64_t capacity) {
  return 1 + (index / capacity) % 255;
}

QPCAST_RING_FUNCTION constexpr Descriptor encode(const Request& request, std::uint64_t lap) {
  return {lap << 56 | static_cast<std::uint64_t>(request.kind) << 48 |
              static_cast<std::uint64_t>(request.tag) << 32 | request.local,
          lap << 56 | static_cast<std::uint64_t>(request.length) << 32 | request.remote};
}

/// Both halves were written on this lap.
QPCAST_RING_FUNCTION constexpr bool valid(const Descriptor& descriptor, std::uint64_t lap) {
  return descriptor.first >> 56 == lap && descriptor.second >> 56 == lap;
}

QPCAST_RING_FUNCTION constexpr Request decode(const Descriptor& descriptor) {
  return {static_cast<std::uint32_t>(descriptor.first),
          static_cast<std::uint32_t>(descriptor.second),
          static_cast<std::uint32_t>(descriptor.second >> 32) & largest_request,
          static_cast<std::uint16_t>(descriptor.first >> 32),
          static_cast<RequestKind>(descriptor.first >> 48 & 0xff)};
}

}  // namespace qpcast::hw
