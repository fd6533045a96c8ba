/// The message engine of one NIC, with its cache of connection contexts.
///
/// Serves doorbells in order of arrival. One that announces n messages occupies it for
///
///   n * engine + (context absent: miss) + (DC: dc_switch * n / visit)      us
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/simgrid/context_cache.hpp"
#include "model/simgrid/scene.hpp"

namespace qpcast::simgrid {

class Engine {
 public:
  Engine(const Scene& scene, std::uint32_t connections, Replacement replacement, Random& random)
      : scene_{scene}, random_{random}, cache_{scene.cache_capacity, connections, replacement} {}

  /// Stands for a connection whose context is certainly on the NIC.
  static constexpr std::uint32_t present = UINT32_MAX;

  struct Service {
    double start, first, end;  ///< begins; the first and the last message have left the engine
  };
  /// n messages of one doorbell on one connection. Calls come in order of time.
  Service serve(double now, std::uint32_t n, std::uint32_t connection) {
    const double start = std::max(now, free_);
    const double time = n * scene_.engine + stall(n, connection);
    free_ = start + time;
    busy_ += time;
    return {start, free_ - (n - 1) * scene_.engine, free_};
  }
  /// One message that does not wait for those ahead of it.
  void serve_aside(double now) {
    busy_ += scene_.engine;
    free_ = std::max(free_, now) + scene_.engine;
  }
  /// What follows the engine takes nothing more before `until`.
  void hold(double until) { free_ = std::max(free_, until); }
  /// Contexts 0, 1, ... are there already, as many as fit.
  void warm_up() { cache_.fill(); }

  double free_at() const { return free_; }
  double busy_us() const { return busy_; }
  std::uint64_t misses() const { return cache_.misses(); }

 private:
  double stall(std::uint32_t n, std::uint32_t connection) {
    // The switch is paid once a visit, whichever of its doorbells it falls on.
    double time = scene_.dc_switch * n / scene_.visit;
    if (scene_.cache_matters && connection != present && !cache_.visit(connection, random_))
      time += scene_.miss;
    return time;
  }

  const Scene& scene_;
  Random& random_;
  ContextCache cache_;
  double free_ = 0, busy_ = 0;
};

}  // namespace qpcast::simgrid
