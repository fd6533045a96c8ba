/// `qpcast validate --live`: forecast, measure, compare.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/context.hpp"
#include "hw/experiments/measure.hpp"

namespace qpcast::cli {

struct LiveArguments {
  std::string platform;  ///< a platform file or name
  std::string plan = "holdout";
  hw::MeasureOptions measure;
  hw::Holdout holdout;
  SolverChoice solver;  ///< that forecasts
  double tolerance = 0.15;
  bool json = false;
};

/// @return the options, none of which means anything without --live
std::vector<CLI::Option*> add_live_options(CLI::App& sub, LiveArguments& arguments);
/// @return the exit status
int validate_live(LiveArguments& arguments);

}  // namespace qpcast::cli
