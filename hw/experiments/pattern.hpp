/// Payload that shows misplaced, torn and stale bytes: byte i of pattern `seed`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace qpcast::hw {

/// SplitMix64's mixing of the 8-byte word's index with the seed.
constexpr std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15 + (index + 1) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/// Where payloads lie: `slots` of `payload` bytes, `stride` bytes apart (a multiple of 8).
struct PayloadShape {
  std::uint64_t slots = 0, stride = 8, payload = 8;
  bool operator==(const PayloadShape&) const = default;
};

/// Fills memory with the pattern, from its first byte.
inline void fill_pattern(std::span<std::byte> bytes, std::uint64_t seed) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = pattern_word(seed, at / sizeof(std::uint64_t));
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, bytes.size() - at));
  }
}

/// Offset of the first payload byte that is not the pattern's; nothing when all are right.
inline std::optional<std::uint64_t> first_difference(std::span<const std::byte> bytes,
                                                     std::uint64_t seed,
                                                     const PayloadShape& shape) {
  for (std::uint64_t slot = 0; slot < shape.slots; ++slot)
    for (std::uint64_t i = 0; i < shape.payload; i += sizeof(std::uint64_t)) {
      const auto at = slot * shape.stride + i;
      const auto expected = pattern_word(seed, at / sizeof(std::uint64_t));
      std::uint64_t found = expected;
      std::memcpy(&found, bytes.data() + at, std::min(sizeof found, shape.payload - i));
      if (found != expected)
        return at + static_cast<std::uint64_t>(std::countr_zero(found ^ expected)) / 8;
    }
  return std::nullopt;
}

}  // namespace qpcast::hw
