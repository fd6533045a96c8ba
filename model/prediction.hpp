/// Prediction: what a solver says of one layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace qpcast {

/// A value with its central 90 % interval.
struct Estimate {
  double value = 0;       ///< at the platform's parameter values
  double lo = 0, hi = 0;  ///< lo <= value <= hi
};

/// What is forecast of one metric.
struct MetricEstimate {
  Metric metric;
  Estimate estimate;  ///< in metric_unit(metric)
};

/// How busy a station is.
struct StationLoad {
  std::string name;        ///< resource_name
  double utilisation = 0;  ///< 0..1 at the predicted rate
};

/// Latencies as a simulation saw them. Unit: us.
struct SimulatedLatency {
  struct Bucket {
    double us;            ///< centre
    std::uint64_t count;  ///< messages in it, > 0
  };
  std::uint64_t count = 0;  ///< messages, warm-up excluded
  double mean = 0, p50 = 0, p99 = 0, p999 = 0;
  std::vector<Bucket> histogram;  ///< buckets that are not empty, ascending
};

/// How a discrete-event prediction came about.
struct SimulationReport {
  std::uint64_t seed = 0;      ///< of every random draw: same seed, same result
  std::uint64_t budget = 0;    ///< messages it may simulate, warm-up included
  std::uint64_t messages = 0;  ///< messages it did simulate, warm-up included
  std::uint64_t warm_up = 0;   ///< messages discarded first
  double half_width = 0;       ///< relative, of the rate's 95 % confidence interval
  double sought = 0;           ///< half-width at which it may stop before the budget
  bool converged = false;      ///< it stopped by the interval, not by the message budget
  double simulated_us = 0;     ///< us of simulated time
  SimulatedLatency latency;    ///< bulk messages, start of the call to completion noticed
  SimulatedLatency probe;      ///< round trips of the probe
};

/// A solver's answer for one layout on one platform.
struct Prediction {
  std::vector<MetricEstimate> metrics;  ///< those that apply to the layout, in Metric's order
  std::string bottleneck;               ///< station with the highest utilisation
  std::vector<StationLoad> stations;    ///< those that the layout visits
  std::vector<std::string> warnings;    ///< layout outside the calibrated range, assumed parameters
  std::string solver;                   ///< "analytic" or "simgrid"
  std::optional<SimulationReport> simulation;  ///< of the discrete-event solver
  bool emulated = false;                       ///< the platform was calibrated on emulated rows

  const Estimate* find(Metric metric) const;
};

}  // namespace qpcast
