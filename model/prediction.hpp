/// Prediction: what a solver says of one layout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace qpcast {

/// A value with its central 90 % interval.
struct Estimate {
  double value = 0, lo = 0, hi = 0;
};

struct MetricEstimate {
  Metric metric;
  Estimate estimate;  ///< in metric_unit(metric)
};

struct StationLoad {
  std::string name;
  double utilisation = 0;  ///< 0..1 at the predicted rate
};

/// Quantiles of what a simulation saw, us. A count of 0: nothing of the kind happened.
struct Distribution {
  double count = 0, mean = 0, p50 = 0, p99 = 0, p999 = 0;
};

struct Prediction {
  std::vector<MetricEstimate> metrics;
  std::string bottleneck;  ///< station with the highest utilisation
  std::vector<StationLoad> stations;
  std::vector<std::string> warnings;  ///< layout outside the calibrated range, assumed parameters
  std::string solver;                 ///< "analytic" or "simgrid"
  Distribution latency;               ///< submission to completion; simulated only
  Distribution round_trip;            ///< the probe's; simulated with background only
  bool emulated = false;              ///< the platform was calibrated on emulated rows

  const Estimate* find(Metric metric) const;
};

}  // namespace qpcast
