/// Statistics over samples and passes. No sample set is empty.
#pragma once

#include <span>
#include <vector>

namespace qpcast::hw {

/// The q-quantile, 0 <= q <= 1, interpolated between order statistics. The samples are reordered.
double quantile(std::span<double> samples, double q);
inline double median(std::span<double> samples) { return quantile(samples, 0.5); }

/// What a row says of its passes.
struct Summary {
  double value = 0;   ///< median over passes
  double lo = 0;      ///< smallest pass
  double hi = 0;      ///< largest pass
  double spread = 0;  ///< relative standard deviation over passes; 0 for one pass
};
Summary summarise(std::vector<double> passes);

}  // namespace qpcast::hw
