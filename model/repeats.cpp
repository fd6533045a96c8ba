#include "model/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace qpcast {

namespace {

using Rates = std::map<std::string, std::vector<double>>;  // Mmsg/s by observation

bool repeats(const Measurement& m, const Rates& rates) {
  if (m.metric != Metric::goodput || m.statistic != Statistic::value) return false;
  auto as_rate = m;
  as_rate.metric = Metric::rate;
  const auto it = rates.find(observation(as_rate));
  if (it == rates.end()) return false;
  const double payload = m.layout.number(Key::payload, 0);
  constexpr double rounding = 1e-3;
  return std::ranges::any_of(it->second, [&](double rate) {
    return std::abs(m.value / (rate * payload * 1e-3) - 1) < rounding;
  });
}

}  // namespace

std::string observation(const Measurement& m) {
  return fmt::format("{}|{}|{}|{}|{}|{}", m.platform, m.library, m.layout.to_string(),
                     m.baseline ? m.baseline->to_string() : "", metric_name(m.metric),
                     static_cast<int>(m.statistic));
}

std::vector<bool> repeats_of_rates(const std::vector<Measurement>& rows) {
  Rates rates;
  for (const auto& m : rows)
    if (m.metric == Metric::rate && m.statistic == Statistic::value && !m.environment.empty())
      rates[observation(m)].push_back(m.value);
  std::vector<bool> result;
  result.reserve(rows.size());
  for (const auto& m : rows) result.push_back(repeats(m, rates));
  return result;
}

}  // namespace qpcast
