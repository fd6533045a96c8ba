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

struct Prediction {
  std::vector<MetricEstimate> metrics;
  std::string bottleneck;  ///< station with the highest utilisation
  std::vector<StationLoad> stations;
  std::vector<std::string> warnings;  ///< layout outside the calibrated range, assumed parameters
  std::string solver;                 ///< "analytic" or "simgrid"
  bool emulated = false;              ///< the platform was calibrated on emulated rows

  const Estimate* find(Metric metric) const;
};

}  // namespace qpcast
