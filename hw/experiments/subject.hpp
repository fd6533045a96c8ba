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
  /// The SM clock in the last pass, MHz; 0 when no GPU took part.
  virtual double sm_mhz() const { return 0; }
};

std::vector<Metric> metrics_of(const Point& point);
/// A pass's message rate, in messages/us, with the goodput that follows from it.
void add_rate(double messages_per_us, std::uint32_t payload, Passes& passes);
/// A pass's round trips, in us.
void add_round_trips(std::vector<double>& times, Passes& passes);

/// @throws InputError, or DeviceError when the device refuses the layout
std::unique_ptr<Subject> open_subject(const Bench& bench, const Point& point);
/// The same for what a GPU submits or produces. Without CUDA it throws.
std::unique_ptr<Subject> open_gpu_subject(const Bench& bench, const Point& point);

}  // namespace qpcast::hw
