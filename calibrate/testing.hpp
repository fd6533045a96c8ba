/// What several tests of calibration fit, and how.
#pragma once

#include "calibrate/calibrate.hpp"

namespace qpcast::calibrate::testing {

/// A fit without leave-one-out, from few starts: tests ask for the optimum alone.
inline Options quick(int starts = 4) {
  Options o;
  o.starts = starts;
  o.leave_one_out = false;
  return o;
}

/// Fits rows that were synthesised on `truth`, whose facts are known.
inline Calibration fit(const Platform& truth, const std::vector<Measurement>& rows,
                       const Options& options = quick()) {
  return calibrate(rows, {{truth.name, truth.facts}}, {}, "synthetic", options);
}

}  // namespace qpcast::calibrate::testing
