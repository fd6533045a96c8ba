/// What a point measures: queue pairs of a CPU or of a GPU, opened, and a pass over them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "hw/experiments/environment.hpp"
#include "hw/experiments/link.hpp"
#include "hw/experiments/passes.hpp"
#include "hw/experiments/plan.hpp"

namespace qpcast::hw {

/// One value per pass and metric.
using Passes = std::map<Metric, std::vector<double>>;

class Subject {
 public:
  virtual ~Subject() = default;
  virtual void pass(const PassBudget& budget, Passes& passes) = 0;
  /// What was observed while it ran.
  virtual Environment facts() const = 0;
};

std::vector<Metric> metrics_of(const Point& point);

/// @throws InputError, or DeviceError when the device refuses the layout
std::unique_ptr<Subject> open_subject(const Bench& bench, const Point& point);

}  // namespace qpcast::hw
