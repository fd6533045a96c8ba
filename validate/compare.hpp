/// Predicted beside measured, row by row. Nothing is dropped: a row that no mechanism covers, or
/// that was measured on another platform, is listed with the reason. A goodput that repeats a
/// measured rate (model/repeats.hpp) is counted with that rate, and how many did is said.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/analytic/analytic.hpp"
#include "model/library.hpp"
#include "model/measurement.hpp"
#include "model/platform.hpp"

namespace qpcast::validate {

struct RowResult {
  Measurement row;
  bool modelled = false;
  std::string reason;  ///< why not modelled
  Estimate predicted;
  double error = 0;              ///< |predicted / measured - 1|
  bool inside_interval = false;  ///< the measured value lies in the forecast's 90 % interval
  bool inside_range = false;     ///< the forecast lies in the range the source states
  std::string mechanism;         ///< whose parameters move the forecast most
  std::vector<std::string> warnings;

  /// Within the tolerance, or within the range the source itself states.
  bool acceptable(double tolerance) const { return error <= tolerance || inside_range; }
};

struct Summary {
  int rows = 0, modelled = 0, within_tolerance = 0;
  double median_error = 0;       ///< over modelled rows
  double p90_error = 0;          ///< nine in ten are within this
  double interval_coverage = 0;  ///< fraction of modelled rows inside their 90 % interval
};

struct Comparison {
  std::vector<RowResult> rows;
  int repeated = 0;  ///< goodput rows that repeat a rate, beside `rows`
  double tolerance = 0.15;
  Summary summary() const;
  /// Summary of the rows for which `key` gives the same text, by that text.
  std::map<std::string, Summary> by(const std::function<std::string(const RowResult&)>& key) const;
};

/// Answers one row; the analytic solver, or the discrete-event one.
using Answerer = std::function<Answer(const Measurement&)>;

/// @param platforms  by name; a row whose platform is missing is not modelled
Comparison compare(const std::vector<Measurement>& rows,
                   const std::map<std::string, Platform>& platforms, const Presets& presets,
                   double tolerance);

/// The same with any solver.
Comparison compare(const std::vector<Measurement>& rows, const Answerer& answerer,
                   double tolerance);

}  // namespace qpcast::validate
