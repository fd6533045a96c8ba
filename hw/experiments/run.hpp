/// Runs a plan: every point that the file does not have yet, row by row.
///
/// A fault of one point's transport (TransportError: an error completion, wrong payload, a
/// deadline) ends that point: its queue pairs go, the file gets a note, and the next point opens
/// new ones. A run that resumes tries it again. What concerns the whole machine ends the run: the
/// device is gone, the disk is full, the peer's process is gone, an interrupt.
#pragma once

#include "hw/experiments/environment.hpp"
#include "hw/experiments/link.hpp"
#include "hw/experiments/plan.hpp"
#include "hw/experiments/row_file.hpp"

namespace qpcast::hw {

/// Points that fail one after the other before the run gives up: by then it is not the points. Each
/// may have cost the patience of a wait.
inline constexpr std::size_t most_failures_in_a_row = 5;

/// A point whose transport failed.
struct Failed {
  std::string experiment;
  std::string layout;  ///< `key=value;...`
  std::string reason;
};

struct RunReport {
  std::size_t measured = 0;      ///< rows written
  std::size_t kept = 0;          ///< rows that were there
  std::size_t troubled = 0;      ///< points during which the NIC counted errors; their rows say so
  std::vector<Failed> failed;    ///< each point once; it has no rows
  std::vector<Skipped> skipped;  ///< the plan's, and points that the device refused to set up
  bool was_finished = false;     ///< the file had every row that the plan asks for
};

/// @param environment  facts that hold for the whole run
/// @throws DeviceError, also after most_failures_in_a_row; ExchangeError, Interrupted; rows
/// finished by then are in the file
RunReport run_plan(const Plan& plan, const Bench& bench, const std::string& platform,
                   const Environment& environment, RowFile& rows);

}  // namespace qpcast::hw
