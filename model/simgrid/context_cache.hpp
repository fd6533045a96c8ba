/// The NIC's cache of connection contexts: which connections' state is on the NIC.
///
/// Fully associative with `capacity` contexts; a visit to a connection that is absent is a miss
/// and replaces either the least recently used context or a random one. Cyclic visits to more
/// connections than fit miss always under LRU; random visits to N connections hit with probability
/// capacity / N under random replacement. Constant time per visit; memory grows with connections.
#pragma once

#include <cstdint>
#include <vector>

#include "model/simgrid/random.hpp"

namespace qpcast::simgrid {

enum class Replacement : std::uint8_t { random, lru };

class ContextCache {
 public:
  /// @param capacity     contexts that fit, at least 1
  /// @param connections  connections that exist, numbered from 0
  ContextCache(std::uint32_t capacity, std::uint32_t connections, Replacement replacement);

  /// True when the connection's context was there; afterwards it is.
  bool visit(std::uint32_t connection, Random& random);
  /// Puts connections 0, 1, ... into the empty cache, as many as fit; neither hits nor misses.
  void fill();
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  void unlink(std::uint32_t slot);
  void link_front(std::uint32_t slot);
  std::uint32_t victim(Random& random);

  Replacement replacement_;
  std::uint32_t capacity_;
  std::vector<std::uint32_t> slot_of_;     ///< connection -> slot, or none
  std::vector<std::uint32_t> connection_;  ///< slot -> connection
  std::vector<std::uint32_t> newer_, older_;
  std::uint32_t newest_ = none, oldest_ = none;
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace qpcast::simgrid
