/// The other end of the measurement: in this process (loopback), or another node's process.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/experiments/pattern.hpp"
#include "hw/nic/nic.hpp"

namespace qpcast::hw {

/// What both ends open for one layout.
struct LinkSpec {
  std::uint32_t qps = 1;
  std::uint32_t depth = 128;
  std::uint32_t largest_inline = 0;  ///< B
  std::uint64_t region_bytes = 0;
  bool proxy = false;  ///< the peer answers a ping through a proxy of its own
};

/// A region's first page holds the words of the round trip; payload slots follow.
inline constexpr std::uint64_t ping_source = 0;   ///< offset of the word that is sent
inline constexpr std::uint64_t ping_target = 64;  ///< offset of the word that arrives
inline constexpr std::uint64_t payload_start = 4096;

class Peer {
 public:
  virtual ~Peer() = default;
  /// Opens as many queue pairs as we have and connects them to ours.
  virtual std::vector<Address> open(const LinkSpec& spec, std::span<const Address> ours) = 0;
  /// Zeroes the payload, so that what arrives is seen to arrive.
  virtual void clear() = 0;
  /// Offset of the first payload byte that is not pattern `seed`'s.
  virtual std::optional<std::uint64_t> check(std::uint64_t seed, const PayloadShape& shape) = 0;
  /// Answers each ping on queue pair 0 until stopped.
  virtual void start_echo() = 0;
  virtual void stop_echo() = 0;
  virtual void close() = 0;
};

}  // namespace qpcast::hw
