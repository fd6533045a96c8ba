#include "validate/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/repeats.hpp"

namespace qpcast::validate {

namespace {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = std::ceil(q * static_cast<double>(values.size())) - 1;
  return values[static_cast<std::size_t>(std::max(0.0, rank))];
}

Summary summarise(const std::vector<const RowResult*>& rows, double tolerance) {
  Summary s;
  s.rows = static_cast<int>(rows.size());
  std::vector<double> errors;
  int covered = 0;
  for (const auto* r : rows) {
    if (!r->modelled) continue;
    errors.push_back(r->error);
    s.within_tolerance += r->acceptable(tolerance) ? 1 : 0;
    covered += r->inside_interval ? 1 : 0;
  }
  s.modelled = static_cast<int>(errors.size());
  s.median_error = quantile(errors, 0.5);
  s.p90_error = quantile(errors, 0.9);
  s.interval_coverage = errors.empty() ? 0 : covered / static_cast<double>(errors.size());
  return s;
}

RowResult compare_row(const Measurement& row, const Answerer& answerer) {
  RowResult r;
  r.row = row;
  const auto answer = answerer(row);
  r.reason = answer.reason;
  r.modelled = answer.modelled();
  r.warnings = answer.warnings;
  if (!r.modelled) return r;
  r.predicted = answer.estimate;
  r.mechanism = answer.mechanism;
  r.error = std::abs(r.predicted.value - row.value) / std::abs(row.value);
  r.inside_interval = r.predicted.lo <= row.value && row.value <= r.predicted.hi;
  r.inside_range = row.lo && row.hi && *row.lo <= r.predicted.value && r.predicted.value <= *row.hi;
  return r;
}

}  // namespace

Summary Comparison::summary() const {
  std::vector<const RowResult*> all;
  for (const auto& r : rows) all.push_back(&r);
  return summarise(all, tolerance);
}

std::map<std::string, Summary> Comparison::by(
    const std::function<std::string(const RowResult&)>& key) const {
  std::map<std::string, std::vector<const RowResult*>> groups;
  for (const auto& r : rows) groups[key(r)].push_back(&r);
  std::map<std::string, Summary> out;
  for (const auto& [name, members] : groups) out[name] = summarise(members, tolerance);
  return out;
}

Comparison compare(const std::vector<Measurement>& rows, const Answerer& answerer,
                   double tolerance) {
  Comparison c;
  c.tolerance = tolerance;
  const auto repeats = repeats_of_rates(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (repeats[i])
      ++c.repeated;
    else
      c.rows.push_back(compare_row(rows[i], answerer));
  return c;
}

Comparison compare(const std::vector<Measurement>& rows,
                   const std::map<std::string, Platform>& platforms, const Presets& presets,
                   double tolerance) {
  std::map<std::string, AnalyticSolver> solvers;
  for (const auto& [name, platform] : platforms) solvers.emplace(name, AnalyticSolver{platform});
  return compare(
      rows,
      [&](const Measurement& row) {
        const auto it = solvers.find(row.platform);
        if (it != solvers.end()) return it->second.answer(question_of(row, presets));
        Answer none;
        none.reason =
            fmt::format("measured on {}, which is not the platform asked for", row.platform);
        return none;
      },
      tolerance);
}

}  // namespace qpcast::validate
