#include "calibrate/identifiability.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "model/analytic/analytic.hpp"

namespace qpcast::calibrate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double determined_below = 0.5;
constexpr double together = 0.9;
constexpr double known = 0.1;  ///< a prior this narrow is a data sheet's figure, not a belief
constexpr double row_noise = 0.05;

class Analysis {
 public:
  Analysis(const Platform& platform, const Presets& presets,
           const std::vector<Experiment>& experiments)
      : platform_{platform}, solver_{platform}, presets_{presets} {
    for (const auto& p : platform.parameters) add(*solver_.values().find(p.name));
    for (const auto& e : experiments)
      for (const auto& row : e.rows) read_by(row);
    fill_covariance();
    for (const auto& e : experiments) after_.push_back(covariance_after(e));
  }

  Identifiability report(const std::vector<Experiment>& experiments) {
    Identifiability result;
    for (std::size_t i = 0; i < index_.size(); ++i) {
      const auto u = static_cast<Index>(i);
      if (prior_sd(i) <= known || sd(covariance_, u) < determined_below * prior_sd(i)) continue;
      auto open = describe(i);
      for (std::size_t e = 0; e < experiments.size(); ++e)
        if (const double left = sd(after_[e], u); left < determined_below * prior_sd(i))
          open.remedies.push_back({experiments[e].name, left});
      std::stable_sort(open.remedies.begin(), open.remedies.end(),
                       [](const auto& a, const auto& b) { return a.sd < b.sd; });
      result.open.push_back(std::move(open));
    }
    add_pairs(result);
    return result;
  }

 private:
  static double sd(const MatrixXd& c, Index u) { return std::sqrt(std::max(0.0, c(u, u))); }
  double prior_sd(std::size_t i) { return solver_.info(index_[i]).prior_spread; }

  void add(std::size_t index) {
    if (std::find(index_.begin(), index_.end(), index) == index_.end()) index_.push_back(index);
  }

  /// Adds the parameters that a row's forecast depends on.
  void read_by(const Measurement& row) {
    const auto question = question_of(row, presets_);
    std::vector<char> used(solver_.values().size(), 0);
    solver_.values().track(&used);
    solver_.point(question);
    solver_.values().track(nullptr);
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i] && solver_.info(i).prior_spread > 0) add(i);
  }

  /// The platform's, and the priors of what it does not name.
  void fill_covariance() {
    const auto n = static_cast<Index>(index_.size());
    const auto listed = platform_.parameters.size();
    covariance_ = MatrixXd::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      const double spread = prior_sd(static_cast<std::size_t>(i));
      covariance_(i, i) = spread * spread;
    }
    if (platform_.covariance.empty()) return;
    for (std::size_t i = 0; i < listed; ++i)
      for (std::size_t j = 0; j < listed; ++j)
        covariance_(static_cast<Index>(i), static_cast<Index>(j)) =
            platform_.covariance[i * listed + j];
  }

  /// d log prediction / d log parameter.
  VectorXd slope(const Measurement& row) {
    constexpr double step = 1e-3;
    const auto question = question_of(row, presets_);
    auto& values = solver_.values();
    const double at = solver_.point(question);
    VectorXd g = VectorXd::Zero(static_cast<Index>(index_.size()));
    if (!(at > 0)) return g;
    for (std::size_t i = 0; i < index_.size(); ++i) {
      const double saved = values[index_[i]];
      values[index_[i]] = saved * std::exp(step);
      const double up = solver_.point(question);
      values[index_[i]] = saved * std::exp(-step);
      const double down = solver_.point(question);
      values[index_[i]] = saved;
      g[static_cast<Index>(i)] = (up - down) / (2 * step * at);
    }
    return g;
  }

  /// Rank-one updates, a row at a time: no inverse of a covariance that may be singular.
  MatrixXd covariance_after(const Experiment& experiment) {
    MatrixXd c = covariance_;
    for (const auto& row : experiment.rows) {
      const VectorXd g = slope(row);
      const VectorXd gain = c * g;
      c -= gain * gain.transpose() / (row_noise * row_noise + g.dot(gain));
    }
    return c;
  }

  OpenParameter describe(std::size_t i) {
    OpenParameter p;
    p.name = solver_.values().name(index_[i]);
    p.unit = solver_.info(index_[i]).unit;
    p.value = solver_.values()[index_[i]];
    p.prior_sd = prior_sd(i);
    p.posterior_sd = sd(covariance_, static_cast<Index>(i));
    const auto* listed = platform_.find(p.name);
    p.read = listed && !listed->rows.empty();
    return p;
  }

  void add_pairs(Identifiability& result) {
    const auto listed = static_cast<Index>(platform_.parameters.size());
    for (Index i = 0; i < listed; ++i)
      for (Index j = 0; j < i; ++j) {
        const double scale = sd(covariance_, i) * sd(covariance_, j);
        const double r = scale > 0 ? covariance_(i, j) / scale : 0;
        if (std::abs(r) >= together)
          result.correlated.push_back({platform_.parameters[static_cast<std::size_t>(j)].name,
                                       platform_.parameters[static_cast<std::size_t>(i)].name, r});
      }
    std::stable_sort(result.correlated.begin(), result.correlated.end(),
                     [](const auto& a, const auto& b) {
                       return std::abs(a.correlation) > std::abs(b.correlation);
                     });
  }

  const Platform& platform_;
  AnalyticSolver solver_;
  const Presets& presets_;
  std::vector<std::size_t> index_;  ///< into the solver's values; the platform's own come first
  MatrixXd covariance_;
  std::vector<MatrixXd> after_;
};

}  // namespace

Identifiability identify(const Platform& platform, const Presets& presets,
                         const std::vector<Experiment>& experiments) {
  return Analysis{platform, presets, experiments}.report(experiments);
}

}  // namespace qpcast::calibrate
