#include "calibrate/starts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

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

/// Connection counts of the rows of paced NICs, ascending.
std::set<double> connections_of_paced(const Problem& problem) {
  std::set<double> counts;
  for (const auto& d : problem.data())
    if (problem.facts(d.platform).nic_kind == NicKind::paced)
      counts.insert(d.question.config.layout.number(Key::active_qps, 1));
  return counts;
}

}  // namespace

std::vector<Eigen::VectorXd> onset_starts(const Problem& problem, const Eigen::VectorXd& found) {
  std::vector<Eigen::VectorXd> starts;
  const auto counts = connections_of_paced(problem);
  for (std::size_t u = 0; u < problem.unknowns().size() && counts.size() > 1; ++u) {
    if (problem.unknowns()[u].index != ParameterValues::index(Param::conn_onset_bidirectional))
      continue;
    for (auto next = std::next(counts.begin()); next != counts.end(); ++next) {
      starts.push_back(found);
      starts.back()[static_cast<Eigen::Index>(u)] = std::log(std::sqrt(*next * *std::prev(next)));
    }
  }
  return starts;
}

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
