/// The calibration problem: rows on several platforms, parameters that they share or do not.
///
/// Unknowns are logarithms. A parameter of scope `physics` is one unknown for all platforms, one of
/// scope `nic` for all platforms whose facts name the same NIC, and one of scope `platform` for
/// each platform that has rows, around a common prior. On the
/// reference platform `host.speed` is 1 by definition.
#pragma once

#include <Eigen/Dense>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/least_squares.hpp"
#include "model/analytic/analytic.hpp"
#include "model/measurement.hpp"

namespace qpcast::calibrate {

/// One unknown of the fit.
struct Unknown {
  std::size_t index = 0;  ///< into ParameterValues
  int owner = everyone;   ///< platform it belongs to (the first one with its NIC for scope nic)
  std::string name;       ///< parameter name, with "@platform" or "@NIC" unless it is everyone's
  static constexpr int everyone = -1;
};

/// One row the fit uses.
struct Datum {
  const Measurement* row = nullptr;
  int platform = 0;
  Question question;
  double sd = 0.03;  ///< of log(measured / predicted); of the difference for deltas, in its unit
};

class Problem {
 public:
  /// @param rows      must outlive the problem, as must `presets`
  /// @param facts     by platform name; a row on a platform without facts is an InputError
  /// @throws InputError for unknown presets or platforms
  /// @param parent    whose values and covariance are the priors (transfer.hpp); must outlive the
  ///                  problem. Null: the parameter table's
  Problem(const std::vector<Measurement>& rows, const std::map<std::string, PlatformFacts>& facts,
          const Presets& presets, const Platform* parent = nullptr);

  const std::vector<Datum>& data() const { return data_; }
  /// Rows no mechanism covers, with the reason.
  const std::vector<std::pair<const Measurement*, std::string>>& not_modelled() const {
    return not_modelled_;
  }
  const std::vector<Unknown>& unknowns() const { return unknowns_; }
  const std::vector<std::string>& platforms() const { return platform_names_; }
  const PlatformFacts& facts(int platform) const;

  /// Point predictions of every datum at x (logarithms of the unknowns).
  Eigen::VectorXd predict(const Eigen::VectorXd& x);
  /// Residuals in standard deviations.
  Eigen::VectorXd residuals(const Eigen::VectorXd& x);
  /// d residuals / d x by central differences; a row is only re-evaluated for the parameters it
  /// reads, about one in eight.
  Eigen::MatrixXd jacobian(const Eigen::VectorXd& x);
  Objective objective();
  /// Whether a platform reads this unknown.
  bool reads(int platform, const Unknown& unknown) const;
  /// The parameter table's entry of an unknown.
  const ParameterInfo& info(std::size_t unknown) const;
  /// A solver of the platform holding x.
  AnalyticSolver& solver_at(int platform, const Eigen::VectorXd& x);
  /// The parent's entry of an unknown; null without a parent, or where it names none.
  const Parameter* inherited(std::size_t unknown) const;

 private:
  void add_row(const Measurement& row, const Presets& presets);
  void find_unknowns();
  int owner(int platform, Scope scope) const;
  void apply(const Eigen::VectorXd& x);
  void inherit(Objective& objective) const;
  double residual(const Datum& datum);

  std::vector<std::string> platform_names_;
  std::vector<PlatformFacts> platform_facts_;
  std::vector<AnalyticSolver> solvers_;  ///< one per platform, same profiles in the same order
  std::vector<Datum> data_;
  std::vector<std::pair<const Measurement*, std::string>> not_modelled_;
  std::vector<Unknown> unknowns_;
  const Platform* parent_ = nullptr;
  bool virtual_machine_ = false;  ///< some rows come from one
};

/// What a row says of its own noise, as `Datum::sd`: the source's range read as a central 90 %
/// interval or the spread over passes, with a floor of 5 %: figures are printed to two or three
/// digits and mechanisms are not exact.
double noise_of(const Measurement& row);

/// log(measured / predicted) for positive quantities, the difference for deltas; 0 where a
/// benchmark's sampled grid would report exactly the measured value.
double misfit(const Measurement& row, double predicted);

/// |predicted / measured - 1| as `validate` reports it, on the reported grid.
double relative_error(const Measurement& row, double predicted);

}  // namespace qpcast::calibrate
