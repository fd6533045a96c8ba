/// Calibration: rows in, platforms out, with what the data could and could not tell.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibrate/intervals.hpp"
#include "calibrate/warning.hpp"
#include "model/library.hpp"
#include "model/measurement.hpp"
#include "model/platform.hpp"

namespace qpcast::calibrate {

/// One row of the fit's report.
struct RowFit {
  std::string id, platform;
  Metric metric = Metric::rate;
  double measured = 0;
  double predicted = 0;
  double error = 0;               ///< |predicted / measured - 1|
  double left_out_predicted = 0;  ///< from a fit without this row
  double left_out_error = 0;
  bool determined_elsewhere = false;  ///< other rows determine every parameter it depends on
  bool outlier = false;               ///< more than 3 sd from the fit
};

/// How much data a mechanism had.
struct MechanismSupport {
  std::string mechanism;
  int rows = 0;        ///< rows that depend on any of its parameters
  int parameters = 0;  ///< of its parameters, how many the rows determined
};

/// What became of one parameter of a platform derived from another.
struct Transferred {
  enum class Fate : std::uint8_t {
    kept,      ///< the parent's, which no new row moves or narrows
    refitted,  ///< new rows speak of it
    assumed,   ///< neither knows it
  };
  std::string platform, name, unit;
  Fate fate = Fate::assumed;
  double parent = 0;  ///< the parent's value; 0: it has none
  double value = 0, lo = 0, hi = 0;
};
const char* fate_name(Transferred::Fate fate);

struct Calibration {
  std::vector<Platform> platforms;
  std::vector<RowFit> rows;  ///< in input order, modelled rows only
  std::vector<std::pair<std::string, std::string>> not_modelled;  ///< id, reason
  std::vector<MechanismSupport> mechanisms;
  int free_parameters = 0;               ///< unknowns that rows determined
  int assumed_parameters = 0;            ///< unknowns that kept their prior
  double effective_parameters = 0;       ///< trace of the hat matrix: what the fit really spent
  std::vector<Transferred> transferred;  ///< with a parent: every parameter of every platform
  std::vector<Interval> profile;         ///< when asked for
  std::vector<Interval> bootstrap;       ///< when asked for
  Warnings warnings;                     ///< what the data lacks or contradicts, and facts assumed
  Discrepancy discrepancy;               ///< sd of log(measured / predicted) beyond row noise
};

struct Options {
  int starts = 12;         ///< optimiser starts, the first at the prior
  bool profile = false;    ///< likelihood-profile intervals of every unknown
  int bootstrap = 0;       ///< bootstrap refits; 0: none
  std::uint64_t seed = 1;  ///< of the bootstrap
  bool leave_one_out = true;
  /// Derives the platforms from this one: its values are the priors, its covariance their
  /// uncertainty, widened by its own discrepancy where the parameter is the same everywhere (scope
  /// physics, or nic on the same NIC) and by the table's prior spread where machines differ
  /// (platform, or another NIC): a stranger's link or host is as uncertain as any.
  const Platform* parent = nullptr;
  std::set<std::string> accept;  ///< findings that are warnings, not errors (checks.hpp)
  std::function<void(const std::string& stage, double done)> progress;  ///< done in 0..1
};

/// Fits every platform that has rows. Deterministic: same rows, same bytes.
/// @param facts   data-sheet facts by platform name
/// @param source  what to record as the data's origin
/// @throws InputError for rows on unknown platforms or libraries, for data that cannot be right
///         (checks.hpp), or when no row is modelled
Calibration calibrate(const std::vector<Measurement>& rows,
                      const std::map<std::string, PlatformFacts>& facts, const Presets& presets,
                      const std::string& source, const Options& options = {});

}  // namespace qpcast::calibrate
