#include "calibrate/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace qpcast::calibrate {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double chi2_90 = 2.706;
constexpr double z90 = 1.6449;
constexpr int few_iterations = 8;  // refits start at the full fit

Interval named(const Problem& problem, Index u, double x, double lo, double hi) {
  return {problem.unknowns().at(static_cast<std::size_t>(u)).name, std::exp(x), std::exp(lo),
          std::exp(hi)};
}

/// Cost with unknown u held at `x`, everything else refitted.
double held_cost(const Objective& objective, const Optimum& optimum, Index u, double x) {
  auto held = objective;
  held.lowest[u] = held.highest[u] = x;
  const double drift = (x - objective.prior[u]) / objective.spread[u];
  const bool correlated = held.precision.size() > 0;
  if (!correlated) held.prior[u] = x;
  VectorXd start = optimum.x;
  start[u] = x;
  return minimise(held, start, few_iterations).cost + (correlated ? 0 : drift * drift);
}

/// The crossing on one side, by expanding from the normal guess and bisecting.
double crossing(const Objective& objective, const Optimum& optimum, Index u, double direction) {
  const double limit = direction > 0 ? objective.highest[u] : objective.lowest[u];
  const double sd = std::sqrt(optimum.covariance(u, u));
  const auto beyond = [&](double x) {
    return held_cost(objective, optimum, u, x) - optimum.cost > chi2_90;
  };
  const auto clamped = [&](double x) {
    return direction > 0 ? std::min(x, limit) : std::max(x, limit);
  };
  double inside = optimum.x[u], outside = clamped(inside + direction * z90 * sd);
  while (!beyond(outside)) {
    if (outside == limit) return limit;
    inside = outside;
    outside = clamped(outside + direction * sd);
  }
  for (int i = 0; i < 6; ++i) {
    const double middle = 0.5 * (inside + outside);
    (beyond(middle) ? outside : inside) = middle;
  }
  return 0.5 * (inside + outside);
}

/// The objective with each row counted as often as it was drawn.
Objective resampled(const Objective& objective, std::mt19937_64& generator, Index rows) {
  std::uniform_int_distribution<Index> pick{0, rows - 1};
  VectorXd scale = VectorXd::Zero(rows);
  for (Index i = 0; i < rows; ++i) scale[pick(generator)] += 1;
  scale = scale.cwiseSqrt();
  auto o = objective;
  o.residuals = [&objective, scale](const VectorXd& x) -> VectorXd {
    return objective.residuals(x).cwiseProduct(scale);
  };
  o.jacobian = [&objective, scale](const VectorXd& x) -> Eigen::MatrixXd {
    return scale.asDiagonal() * objective.jacobian(x);
  };
  return o;
}

}  // namespace

std::vector<Interval> profile_intervals(Problem& problem, const Optimum& optimum) {
  const auto objective = problem.objective();
  std::vector<Interval> out;
  for (Index u = 0; u < optimum.x.size(); ++u)
    out.push_back(named(problem, u, optimum.x[u], crossing(objective, optimum, u, -1),
                        crossing(objective, optimum, u, +1)));
  return out;
}

std::vector<Interval> bootstrap_intervals(Problem& problem, const Optimum& optimum, int draws,
                                          std::uint64_t seed,
                                          const std::function<void(int)>& progress) {
  const auto objective = problem.objective();
  std::mt19937_64 generator{seed};
  std::vector<std::vector<double>> samples(static_cast<std::size_t>(optimum.x.size()));
  for (int d = 0; d < draws; ++d) {
    const auto o = resampled(objective, generator, optimum.residuals.size());
    const auto refit = minimise(o, optimum.x, few_iterations);
    for (Index u = 0; u < refit.x.size(); ++u)
      samples[static_cast<std::size_t>(u)].push_back(refit.x[u]);
    if (progress) progress(d + 1);
  }
  std::vector<Interval> out;
  for (Index u = 0; u < optimum.x.size(); ++u) {
    auto& s = samples[static_cast<std::size_t>(u)];
    std::sort(s.begin(), s.end());
    const auto at = [&](double q) {
      return s[static_cast<std::size_t>(std::lround(q * static_cast<double>(s.size() - 1)))];
    };
    out.push_back(named(problem, u, optimum.x[u], at(0.05), at(0.95)));
  }
  return out;
}

}  // namespace qpcast::calibrate
