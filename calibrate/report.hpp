/// A calibration in numbers and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "calibrate/calibrate.hpp"
#include "calibrate/identifiability.hpp"

namespace qpcast::calibrate {

struct FitSummary {
  double median_error = 0, p90_error = 0;  ///< over all rows used
  double median_left_out = 0;              ///< over rows that other rows determine
  int shared_rows = 0;                     ///< how many those are
};

FitSummary summarise(const Calibration& calibration);

/// "schema": "qpcast.calibration/1": rows, parameters by mechanism, summary.
nlohmann::ordered_json to_json(const Calibration& calibration);

nlohmann::ordered_json to_json(const Identifiability& result);

}  // namespace qpcast::calibrate
