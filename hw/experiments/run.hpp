/// Runs a plan: every point that the file does not have yet, row by row.
#pragma once

#include "hw/experiments/environment.hpp"
#include "hw/experiments/link.hpp"
#include "hw/experiments/plan.hpp"
#include "hw/experiments/row_file.hpp"

namespace qpcast::hw {

struct RunReport {
  std::size_t measured = 0;      ///< rows written
  std::size_t kept = 0;          ///< rows that were there
  std::size_t troubled = 0;      ///< points during which the NIC counted errors; their rows say so
  std::vector<Skipped> skipped;  ///< the plan's, and points that the device refused to set up
};

/// @param environment  facts that hold for the whole run
/// @throws DeviceError, ExchangeError, Interrupted; rows finished by then are in the file
RunReport run_plan(const Plan& plan, const Bench& bench, const std::string& platform,
                   const Environment& environment, RowFile& rows);

}  // namespace qpcast::hw
