#include "calibrate/starts.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::calibrate {

namespace {

/// Highest rate of a row on the platforms that read the unknown; 0 without any.
double highest_rate(const Problem& problem, const Unknown& unknown) {
  double highest = 0;
  for (const auto& d : problem.data()) {
    const bool rate = d.row->metric == Metric::rate && d.row->statistic == Statistic::value;
    if (rate && problem.reads(d.platform, unknown)) highest = std::max(highest, d.row->value);
  }
  return highest;
}

}  // namespace

std::vector<Eigen::VectorXd> saturated_starts(const Problem& problem, const Eigen::VectorXd& prior,
                                              const Eigen::VectorXd& found) {
  std::vector<Eigen::VectorXd> starts{prior, found};
  for (std::size_t u = 0; u < problem.unknowns().size(); ++u) {
    const auto& unknown = problem.unknowns()[u];
    if (unknown.index != ParameterValues::index(Param::nic_ceiling)) continue;
    const double highest = highest_rate(problem, unknown);
    if (highest <= 0) continue;
    for (auto& start : starts) start[static_cast<Eigen::Index>(u)] = std::log(highest);
  }
  return starts;
}

Optimum improved(Optimum best, const Objective& objective,
                 const std::vector<Eigen::VectorXd>& starts) {
  constexpr double noticeable = 1e-6;  // relative; below it, two searches found the same optimum
  for (const auto& start : starts) {
    auto candidate = minimise(objective, start);
    if (candidate.cost < best.cost * (1 - noticeable)) best = std::move(candidate);
  }
  return best;
}

}  // namespace qpcast::calibrate
