#include "hw/experiments/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qpcast::hw {

double quantile(std::span<double> samples, double q) {
  std::ranges::sort(samples);
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

Summary summarise(std::vector<double> passes) {
  Summary summary;
  summary.value = median(passes);
  summary.lo = passes.front();
  summary.hi = passes.back();
  const auto n = static_cast<double>(passes.size());
  const double mean = std::accumulate(passes.begin(), passes.end(), 0.0) / n;
  double squares = 0;
  for (const double pass : passes) squares += (pass - mean) * (pass - mean);
  if (n > 1 && mean > 0) summary.spread = std::sqrt(squares / (n - 1)) / mean;
  return summary;
}

}  // namespace qpcast::hw
