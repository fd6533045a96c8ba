/// What is wrong with rows before and after a fit: a clear error, or a warning by name.
///
/// Errors (InputError naming the row): rows of several devices under one platform's name; rows of
/// one layout and metric that no model can fit both; a unit that is off by 1,000. Warnings: rows
/// that disagree, rows without any variance, too few rows, goodput that repeats a rate, outliers, a
/// run that did not finish its plan.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibrate/warning.hpp"
#include "model/library.hpp"
#include "model/measurement.hpp"
#include "model/platform.hpp"
#include "model/run_notes.hpp"

namespace qpcast::calibrate {

struct Checked {
  std::vector<Measurement> rows;  ///< for the fit: each observation once
  Warnings warnings;
};

/// Below this many observations nothing on the platform counts as determined.
inline constexpr int fewest_rows = 3;

/// Names of findings that a caller can take as warnings (`calibrate --accept`).
extern const std::set<std::string> acceptable;

/// Everything that can be told without a fit.
/// @param accept  findings that are warnings, not errors
/// @throws InputError as above
Checked check_rows(const std::vector<Measurement>& rows, const std::set<std::string>& accept = {});

/// Warns ("unfinished-plan") where a file lacks rows that its plans ask for.
/// @param file  its name, for the message
/// @param ids   of the file's rows
void check_finished(const std::string& file, const RunNotes& notes,
                    const std::set<std::string>& ids, Warnings& warnings);

/// Throws, or warns when accepted, where measured values of a whole metric of a platform lie a
/// thousandfold from what the priors on these facts say while its other metrics do not, or outside
/// what is physically possible. Without three rows of other metrics only the latter is told.
void check_units(const std::vector<Measurement>& rows,
                 const std::map<std::string, PlatformFacts>& facts, const Presets& presets,
                 const std::set<std::string>& accept, Warnings& warnings);

/// A value beside what a fit to all rows says of it.
struct Fitted {
  const Measurement* row = nullptr;
  double predicted = 0;
  bool outlier = false;
};

/// The same for single rows a thousandfold from the fit to three others or more of their platform;
/// names the outliers.
void check_fit(const std::vector<Fitted>& rows, const std::set<std::string>& accept,
               Warnings& warnings);

}  // namespace qpcast::calibrate
