/// Rows that say the same thing twice. A measured rate comes with the goodput that follows from it:
/// one measurement, which a fit and a comparison count once.
#pragma once

#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace qpcast {

/// What a row observes: equal for rows of one platform, library, layout, baseline, metric and
/// statistic, whatever their values.
std::string observation(const Measurement& row);

/// For each row, whether it is a goodput (GB/s) that is payload times a measured rate among the
/// rows, within rounding (0.1 %). Only rates with an environment count: a paper's tables state each
/// figure by itself.
std::vector<bool> repeats_of_rates(const std::vector<Measurement>& rows);

}  // namespace qpcast
