#include "model/analytic/analytic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/error.hpp"
#include "model/validity.hpp"

namespace qpcast {

namespace {

constexpr double z90 = 1.6449;  // normal quantile of a central 90 % interval
constexpr std::array default_metrics{
    Metric::issue, Metric::doorbell_to_cqe, Metric::put_completion, Metric::rtt, Metric::rtt_p99,
    Metric::rate,  Metric::carried_rate,    Metric::goodput};

bool applies(Metric metric, const Setup& setup, const Layout& layout) {
  const bool loaded = setup.background_ctas > 0;
  switch (metric) {
    case Metric::rtt_p99:
      return !setup.gpu_builds();
    case Metric::carried_rate:
      return loaded;
    case Metric::rate:
      return !loaded;
    // Connection sweeps describe streams; their single operations are those of any layout.
    default:
      return metric == Metric::goodput || !layout.has(Key::role);
  }
}

/// Positive quantities get a log-normal interval, deltas a normal one.
Estimate interval(double value, double sd, bool logarithmic) {
  if (!logarithmic) return {value, value - z90 * sd, value + z90 * sd};
  const double factor = std::exp(z90 * sd / std::abs(value));
  return {value, value / factor, value * factor};
}

}  // namespace

std::string Question::reason() const {
  return unanswerable.empty() ? std::string{not_modelled(metric, config.layout)} : unanswerable;
}

/// A proxy's producer is a GPU where there is one; measured round trips let a CPU produce.
std::string unanswerable(const Measurement& row) {
  const auto entry = [&](const char* key) {
    const auto it = row.environment.find(key);
    return it == row.environment.end() ? std::string{} : it->second;
  };
  const bool gpu = !entry("gpu").empty() && entry("gpu") != "none";
  const bool stands_in = gpu && entry("producer") == "cpu" &&
                         row.layout.choice(Key::submitter, Submitter::gpu) == Submitter::proxy;
  return stands_in ? "a CPU produced in place of this machine's GPU" : "";
}

Question question_of(const Measurement& row, const Presets& presets) {
  const auto proposal = [&](const Layout& layout) {
    const auto& name = layout.library.empty() ? row.library : layout.library;
    return Proposal{layout, find_preset(presets, name, row.where.empty() ? row.id : row.where)};
  };
  Question q{row.metric, row.statistic, proposal(row.layout), {}};
  if (row.baseline) q.baseline = proposal(*row.baseline);
  q.unanswerable = unanswerable(row);
  return q;
}

AnalyticSolver::AnalyticSolver(const Platform& platform)
    : facts_{platform.facts},
      values_{platform},
      covariance_{platform.covariance},
      listed_count_{platform.parameters.size()},
      discrepancy_{platform.discrepancy},
      emulated_{platform.emulated} {
  listed_.assign(values_.size(), -1);
  assumed_.assign(values_.size(), 1);
  for (std::size_t row = 0; row < platform.parameters.size(); ++row) {
    const auto& p = platform.parameters[row];
    const auto at = values_.find(p.name).value();
    listed_[at] = static_cast<int>(row);
    assumed_[at] = p.provenance == Provenance::assumed;
  }
  if (!covariance_.empty() && covariance_.size() != listed_count_ * listed_count_)
    throw InputError{platform.name, "covariance",
                     fmt::format("expected {0} x {0} entries", listed_count_)};
}

/// The covariance of some parameters' logarithms; what the platform does not list varies alone,
/// by its prior spread.
std::vector<double> AnalyticSolver::covariance_of(const std::vector<std::size_t>& index) const {
  const auto n = index.size();
  std::vector<double> result(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const int row = index[i] < listed_.size() ? listed_[index[i]] : -1;
    if (row < 0 || covariance_.empty()) {
      const double spread = values_.info(index[i]).prior_spread;
      result[i * n + i] = spread * spread;
      continue;
    }
    const double* known = covariance_.data() + static_cast<std::size_t>(row) * listed_count_;
    for (std::size_t j = 0; j <= i; ++j) {
      const int column = index[j] < listed_.size() ? listed_[index[j]] : -1;
      if (column >= 0) result[i * n + j] = known[column];
    }
  }
  return result;
}

/// Forward differences in the logarithm of every parameter that the evaluation reads.
template <class Evaluate>
AnalyticSolver::Sensitivity AnalyticSolver::differentiate(std::size_t outputs,
                                                          const std::vector<double>& at,
                                                          Evaluate evaluate) {
  constexpr double step = 1e-4;
  Sensitivity s;
  s.index.reserve(32);
  for (std::size_t i = 0; i < used_.size(); ++i)
    if (used_[i] && values_.info(i).prior_spread > 0) s.index.push_back(i);
  s.slope.resize(outputs * s.index.size());
  s.covariance = covariance_of(s.index);
  std::vector<double> moved(outputs);
  for (std::size_t j = 0; j < s.index.size(); ++j) {
    const double saved = values_[s.index[j]];
    values_[s.index[j]] = saved * (1 + step);
    evaluate(moved);
    values_[s.index[j]] = saved;
    for (std::size_t k = 0; k < outputs; ++k)
      s.slope[k * s.index.size() + j] = (moved[k] - at[k]) / std::log1p(step);
  }
  return s;
}

double AnalyticSolver::variance(const Sensitivity& s, std::size_t output) const {
  const auto n = s.index.size();
  const double* slope = s.slope.data() + output * n;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (slope[i] == 0) continue;
    const double* row = s.covariance.data() + i * n;
    double sum = 0.5 * slope[i] * row[i];
    for (std::size_t j = 0; j < i; ++j) sum += slope[j] * row[j];
    total += 2 * slope[i] * sum;
  }
  return std::max(0.0, total);
}

bool AnalyticSolver::rests_on(const Sensitivity& s, std::size_t parameter, std::size_t output,
                              double value) const {
  constexpr double noticeable = 0.1;  // elasticity above which an assumption is worth a warning
  const auto i = s.index[parameter];
  if (i < assumed_.size() && !assumed_[i]) return false;
  return std::abs(s.slope[output * s.index.size() + parameter]) > noticeable * std::abs(value);
}

void AnalyticSolver::add_assumptions(const Sensitivity& s, const std::vector<Metric>& metrics,
                                     const std::vector<double>& at,
                                     std::vector<std::string>& warnings) const {
  for (std::size_t j = 0; j < s.index.size(); ++j) {
    std::string what;
    for (std::size_t k = 0; k < at.size(); ++k)
      if (rests_on(s, j, k, at[k])) {
        if (!what.empty()) what += ", ";
        what += metric_name(metrics[k]);
      }
    if (what.empty()) continue;
    const char* verb = what.find(',') == std::string::npos ? "rests" : "rest";
    warnings.push_back(
        fmt::format("{} {} on {}, which no row determined", what, verb, values_.name(s.index[j])));
  }
}

std::string AnalyticSolver::dominant_mechanism(const Sensitivity& s) const {
  std::map<std::string_view, double> weight;
  for (std::size_t j = 0; j < s.index.size(); ++j)
    weight[values_.info(s.index[j]).mechanism] += std::abs(s.slope[j]);
  const auto most =
      std::max_element(weight.begin(), weight.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == weight.end() ? "" : std::string{most->first};
}

Prediction AnalyticSolver::predict(const Layout& layout, const LibraryPreset* preset) {
  const auto setup = resolve(layout, preset, facts_, values_);
  used_.assign(values_.size(), 0);
  std::vector<Metric> metrics;
  metrics.reserve(default_metrics.size());
  for (const auto m : default_metrics)
    if (not_modelled(m, layout).empty() && applies(m, setup, layout)) metrics.push_back(m);

  values_.track(&used_);
  const auto solution = solve(setup, values_);
  values_.track(nullptr);
  std::vector<double> at(metrics.size());
  const auto fill = [&](const Solution& s, std::vector<double>& out) {
    for (std::size_t k = 0; k < metrics.size(); ++k)
      out[k] = evaluate(metrics[k], setup, values_, s);
  };
  fill(solution, at);
  const auto slopes = differentiate(metrics.size(), at, [&](std::vector<double>& out) {
    fill(solve(setup, values_, solution), out);
  });

  Prediction prediction;
  prediction.metrics.reserve(metrics.size());
  prediction.stations.reserve(resource_count);
  prediction.solver = "analytic";
  prediction.emulated = emulated_;
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    const double sd =
        std::hypot(std::sqrt(variance(slopes, k)), discrepancy_.of(metrics[k]) * at[k]);
    prediction.metrics.push_back({metrics[k], interval(at[k], sd, true)});
  }
  add_assumptions(slopes, metrics, at, prediction.warnings);
  const auto& load = solution.throughput;
  prediction.bottleneck = resource_name(load.bottleneck);
  for (std::size_t k = 0; k < resource_count; ++k)
    if (load.utilisation.at(k) > 0)
      prediction.stations.push_back(
          {resource_name(static_cast<Resource>(k)), load.utilisation.at(k)});
  add_range_warnings(setup, prediction.warnings);
  return prediction;
}

namespace {

/// Value, ratio or delta of a question whose layouts are resolved.
double combine(Statistic statistic, double config, double baseline) {
  switch (statistic) {
    case Statistic::value:
      return config;
    case Statistic::ratio:
      return config / baseline;
    case Statistic::delta:
      return config - baseline;
  }
  return config;
}

}  // namespace

double AnalyticSolver::point(const Question& q) {
  if (!q.reason().empty()) return std::nan("");
  const auto of = [&](const Proposal& p) {
    const auto setup = resolve(p.layout, p.preset, facts_, values_);
    return evaluate(q.metric, setup, values_, solve(setup, values_));
  };
  const double baseline = q.statistic == Statistic::value ? 0 : of(q.baseline);
  return combine(q.statistic, of(q.config), baseline);
}

Answer AnalyticSolver::answer(const Question& q) {
  Answer result;
  result.reason = q.reason();
  if (!result.modelled()) return result;
  const auto config = resolve(q.config.layout, q.config.preset, facts_, values_);
  const bool relative = q.statistic != Statistic::value;
  const auto baseline =
      relative ? resolve(q.baseline.layout, q.baseline.preset, facts_, values_) : config;
  used_.assign(values_.size(), 0);
  const auto compute = [&] {
    const double c = evaluate(q.metric, config, values_, solve(config, values_));
    if (!relative) return c;
    return combine(q.statistic, c, evaluate(q.metric, baseline, values_, solve(baseline, values_)));
  };
  values_.track(&used_);
  const double value = compute();
  values_.track(nullptr);
  const auto slopes =
      differentiate(1, {value}, [&](std::vector<double>& out) { out[0] = compute(); });
  const double sd = std::hypot(std::sqrt(variance(slopes, 0)), discrepancy_.of(q.metric) * value);
  result.estimate = interval(value, sd, q.statistic != Statistic::delta);
  for (double* v : {&result.estimate.value, &result.estimate.lo, &result.estimate.hi})
    *v = reported(q.metric, *v);
  result.mechanism = dominant_mechanism(slopes);
  add_assumptions(slopes, {q.metric}, {value}, result.warnings);
  add_range_warnings(config, result.warnings);
  return result;
}

}  // namespace qpcast
