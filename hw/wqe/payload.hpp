/// Where an inline write takes its bytes from: the encoder asks for 32-bit words. An `endless` one
/// has words behind the payload's end too; they fill the last segment, and no NIC reads them.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/wqe/target.hpp"

namespace qpcast::hw::wqe {

/// Up to 8 B that are in a register already.
struct RegisterPayload {
  static constexpr bool endless = false;
  std::uint64_t value = 0;
  QPCAST_HOST_DEVICE std::uint32_t word(std::uint32_t i, std::uint32_t /*bytes*/) const {
    return i == 0   ? static_cast<std::uint32_t>(value)
           : i == 1 ? static_cast<std::uint32_t>(value >> 32)
                    : 0;
  }
};

/// Memory, 4 B aligned. Bytes beyond the payload are not read.
struct MemoryPayload {
  static constexpr bool endless = false;
  const void* bytes = nullptr;
  QPCAST_HOST_DEVICE std::uint32_t word(std::uint32_t i, std::uint32_t count) const {
    if (count == 4) return static_cast<const std::uint32_t*>(bytes)[i];
    std::uint32_t value = 0;
    for (std::uint32_t b = 0; b < count; ++b)
      value |= static_cast<std::uint32_t>(static_cast<const unsigned char*>(bytes)[4 * i + b])
               << 8 * b;
    return value;
  }
};

}  // namespace qpcast::hw::wqe
