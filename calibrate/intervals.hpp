/// Intervals beyond the normal approximation: likelihood profiles and the bootstrap.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/least_squares.hpp"
#include "calibrate/problem.hpp"

namespace qpcast::calibrate {

/// Central 90 % interval of one unknown, in the parameter's own unit.
struct Interval {
  std::string name;
  double value = 0, lo = 0, hi = 0;
};

/// Where the cost, minimised over all other unknowns, exceeds the optimum by 2.706, the 90 %
/// quantile of chi-square with one degree of freedom. Bounded by the parameter's own bounds.
std::vector<Interval> profile_intervals(Problem& problem, const Optimum& optimum);

/// Quantiles over refits to rows drawn with replacement; `progress` gets the finished count.
/// Deterministic for a seed.
std::vector<Interval> bootstrap_intervals(Problem& problem, const Optimum& optimum, int draws,
                                          std::uint64_t seed,
                                          const std::function<void(int)>& progress = {});

}  // namespace qpcast::calibrate
