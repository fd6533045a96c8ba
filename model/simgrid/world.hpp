/// World: one PE's submitters, queues and NIC as a discrete-event system.
///
/// A world owns a calendar and is stepped by whoever owns time (a SimGrid actor). It collects the
/// carried messages, completion latencies and, when a probe runs beside bulk traffic, its round
/// trips.
#pragma once

#include <memory>
#include <string>

#include "model/platform.hpp"
#include "model/setup.hpp"
#include "model/simgrid/calendar.hpp"
#include "model/simgrid/nic.hpp"
#include "model/simgrid/random.hpp"
#include "model/simgrid/statistics.hpp"

namespace qpcast::simgrid {

/// How much one execution of the same GPU code varies, as a fraction of its time. Stated, not
/// fitted: published runs give medians only.
inline constexpr double build_jitter = 0.1;

class World {
 public:
  World(const Pipeline& pipeline, std::uint64_t seed) : nic_{pipeline}, random_{seed} {}
  virtual ~World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  bool stuck() const { return calendar_.empty(); }
  /// Who waits for what, for the message of a simulation that cannot progress.
  virtual std::string waiting() const = 0;

  /// Messages in the system at once, at most: how long a warm-up must be at least.
  virtual double circulating() const = 0;

  double now() const { return now_; }
  /// Runs the next event. Precondition: not stuck.
  void step() {
    const Event e = calendar_.pop();
    now_ = e.time;
    handle(e);
  }
  /// Messages whose completion was seen.
  double completed() const { return completed_; }
  /// Forgets what the warm-up saw; the system keeps its state.
  void start_measuring() {
    latency_ = round_trip_ = Histogram{};
    trip_started_ = unknown;
  }
  const Histogram& latency() const { return latency_; }        ///< submission to completion
  const Histogram& round_trip() const { return round_trip_; }  ///< of the probe; empty without one

 protected:
  virtual void handle(const Event& event) = 0;

  /// The probe is back at its start: counts the trip that ends now, and starts the next.
  void turn_trip() {
    if (trip_started_ != unknown) round_trip_.add(now_ - trip_started_);
    trip_started_ = now_;
  }

  Calendar calendar_;
  Nic nic_;
  Random random_;
  double now_ = 0;
  double completed_ = 0;
  Histogram latency_, round_trip_;

 private:
  static constexpr double unknown = -1;
  double trip_started_ = unknown;
};

/// GPU (or CPU-assisted) submission: threads or warps, queue pairs, publication strategies.
std::unique_ptr<World> gpu_world(const Setup& setup, const ParameterValues& values,
                                 std::uint64_t seed);
/// Proxy or host submission: rings, workers, shared state.
std::unique_ptr<World> proxy_world(const Setup& setup, const ParameterValues& values,
                                   std::uint64_t seed);

}  // namespace qpcast::simgrid
