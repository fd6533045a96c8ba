/// Integers that lie in memory most significant byte first, as the adapter reads them.
#pragma once

#include <bit>
#include <cstdint>

#include "hw/wqe/target.hpp"

namespace qpcast::hw::wqe {

static_assert(std::endian::native == std::endian::little, "the swaps below assume it");

QPCAST_HOST_DEVICE inline std::uint16_t swap_bytes(std::uint16_t value) {
  return static_cast<std::uint16_t>(value << 8 | value >> 8);
}

QPCAST_HOST_DEVICE inline std::uint32_t swap_bytes(std::uint32_t value) {
#ifdef __CUDA_ARCH__
  return __byte_perm(value, 0, 0x0123);  // one PRMT; shifts and masks take seven instructions
#else
  return __builtin_bswap32(value);
#endif
}

QPCAST_HOST_DEVICE inline std::uint64_t swap_bytes(std::uint64_t value) {
  const auto low = static_cast<std::uint32_t>(value);
  const auto high = static_cast<std::uint32_t>(value >> 32);
  return static_cast<std::uint64_t>(swap_bytes(low)) << 32 | swap_bytes(high);
}

template <class Value>
class BigEndian {
 public:
  BigEndian() = default;
  QPCAST_HOST_DEVICE BigEndian(Value value) : raw_{swap_bytes(value)} {}  // NOLINT: a value
  QPCAST_HOST_DEVICE operator Value() const { return swap_bytes(raw_); }  // NOLINT: a value
  /// As it lies in memory.
  QPCAST_HOST_DEVICE Value raw() const { return raw_; }

 private:
  Value raw_;
};

using be16 = BigEndian<std::uint16_t>;
using be32 = BigEndian<std::uint32_t>;
using be64 = BigEndian<std::uint64_t>;
static_assert(sizeof(be16) == 2 && sizeof(be32) == 4 && sizeof(be64) == 8);

}  // namespace qpcast::hw::wqe
