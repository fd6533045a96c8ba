/// The analytic solver: a layout on a platform to values with intervals.
///
/// An interval is the central 90 % one: the platform's parameter covariance carried to the metric
/// by its derivatives with respect to every parameter the layout reads, plus the platform's
/// discrepancy. Parameters that no row determined carry their prior spread, so a forecast that
/// rests on an assumption says so by its width and by a warning.
#pragma once

#include <string>
#include <vector>

#include "model/analytic/metrics.hpp"
#include "model/library.hpp"
#include "model/prediction.hpp"

namespace qpcast {

/// A layout with the preset it is resolved against (null: none).
struct Proposal {
  Layout layout;
  const LibraryPreset* preset = nullptr;
};

/// What is asked of a row: a metric of one layout, or its ratio or delta against a baseline.
struct Question {
  Metric metric = Metric::rate;
  Statistic statistic = Statistic::value;
  Proposal config;
  Proposal baseline;  ///< read for ratio and delta only
  /// Why the row answers another question than its layout asks; empty: it does not.
  std::string unanswerable = {};
  /// Why there is no forecast; empty when there is one.
  std::string reason() const;
};

/// Why a measured row answers another question than its layout asks, as its environment tells;
/// empty: it does not. Today: a CPU produced for a proxy on a machine whose GPU would.
std::string unanswerable(const Measurement& row);

/// The question a row asks. A row's `library` is its preset unless its layout names another.
/// @throws InputError for an unknown preset
Question question_of(const Measurement& row, const Presets& presets);

/// An answer, or the reason why there is none.
struct Answer {
  Estimate estimate;
  std::string reason;     ///< empty when modelled
  std::string mechanism;  ///< whose parameters move the answer most
  std::vector<std::string> warnings;
  bool modelled() const { return reason.empty(); }
};

/// One solver per thread: it keeps scratch space between calls.
class AnalyticSolver {
 public:
  /// Copies what it needs. @throws InputError for unknown parameters
  explicit AnalyticSolver(const Platform& platform);

  /// Every metric that the layout has. @throws InputError for contradictions
  Prediction predict(const Layout& layout, const LibraryPreset* preset);
  /// One metric, value, ratio or delta, with its interval.
  Answer answer(const Question& question);
  /// The point forecast of a question without interval; NaN when not modelled.
  double point(const Question& question);

  const PlatformFacts& facts() const { return facts_; }
  ParameterValues& values() { return values_; }
  const ParameterInfo& info(std::size_t index) const { return values_.info(index); }

 private:
  struct Sensitivity {
    std::vector<std::size_t> index;  ///< parameters read
    std::vector<double> slope;       ///< d metric / d log parameter, per metric then per index
    std::vector<double> covariance;  ///< of those parameters, lower triangle of a square
  };
  template <class Evaluate>
  Sensitivity differentiate(std::size_t outputs, const std::vector<double>& at, Evaluate evaluate);
  double variance(const Sensitivity& s, std::size_t output) const;
  std::vector<double> covariance_of(const std::vector<std::size_t>& index) const;
  std::string dominant_mechanism(const Sensitivity& s) const;
  /// Whether an output moves noticeably with a parameter that no row determined.
  bool rests_on(const Sensitivity& s, std::size_t parameter, std::size_t output,
                double value) const;
  /// One warning per such parameter, naming the metrics.
  void add_assumptions(const Sensitivity& s, const std::vector<Metric>& metrics,
                       const std::vector<double>& at, std::vector<std::string>& warnings) const;

  PlatformFacts facts_;
  ParameterValues values_;
  std::vector<double> covariance_;  ///< of the listed parameters, row-major
  std::vector<int> listed_;         ///< values_ index -> row of covariance_, or -1
  std::vector<char> assumed_;       ///< values_ index -> nothing determined it
  std::vector<char> used_;
  std::size_t listed_count_ = 0;
  Discrepancy discrepancy_;
  bool emulated_ = false;
};

}  // namespace qpcast
