#include "calibrate/report.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::calibrate {

nlohmann::ordered_json to_json(const Identifiability& result) {
  nlohmann::ordered_json j;
  auto& open = j["open"] = nlohmann::ordered_json::array();
  for (const auto& p : result.open) {
    auto remedies = nlohmann::ordered_json::array();
    for (const auto& r : p.remedies)
      remedies.push_back({{"experiment", r.experiment}, {"sd", r.sd}});
    open.push_back({{"name", p.name},
                    {"unit", p.unit},
                    {"value", p.value},
                    {"prior_sd", p.prior_sd},
                    {"posterior_sd", p.posterior_sd},
                    {"read", p.read},
                    {"experiments", remedies}});
  }
  auto& pairs = j["correlated"] = nlohmann::ordered_json::array();
  for (const auto& c : result.correlated)
    pairs.push_back({{"first", c.first}, {"second", c.second}, {"correlation", c.correlation}});
  return j;
}

namespace {

using nlohmann::ordered_json;

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      std::max(0.0, std::ceil(q * static_cast<double>(values.size())) - 1))];
}

ordered_json intervals_to_json(const std::vector<Interval>& intervals) {
  auto list = ordered_json::array();
  for (const auto& i : intervals)
    list.push_back({{"name", i.name}, {"value", i.value}, {"lo", i.lo}, {"hi", i.hi}});
  return list;
}

}  // namespace

FitSummary summarise(const Calibration& c) {
  std::vector<double> errors, left_out;
  for (const auto& r : c.rows) {
    errors.push_back(r.error);
    if (r.determined_elsewhere) left_out.push_back(r.left_out_error);
  }
  return {quantile(errors, 0.5), quantile(errors, 0.9), quantile(left_out, 0.5),
          static_cast<int>(left_out.size())};
}

ordered_json to_json(const Calibration& c) {
  const auto s = summarise(c);
  ordered_json j;
  j["schema"] = "qpcast.calibration/1";
  j["rows_used"] = c.rows.size();
  j["free_parameters"] = c.free_parameters;
  j["assumed_parameters"] = c.assumed_parameters;
  j["effective_parameters"] = c.effective_parameters;
  j["discrepancy"] = c.discrepancy.times;
  j["rate_discrepancy"] = c.discrepancy.rates;
  j["probe_discrepancy"] = c.discrepancy.probes;
  j["median_error"] = s.median_error;
  j["p90_error"] = s.p90_error;
  j["median_left_out_error"] = s.median_left_out;
  j["rows_determined_elsewhere"] = s.shared_rows;
  auto& warnings = j["warnings"] = ordered_json::array();
  for (const auto& w : c.warnings)
    warnings.push_back({{"name", w.name}, {"where", w.where}, {"text", w.text}});
  auto& rows = j["rows"] = ordered_json::array();
  for (const auto& r : c.rows)
    rows.push_back({{"id", r.id},
                    {"platform", r.platform},
                    {"metric", metric_name(r.metric)},
                    {"measured", r.measured},
                    {"fitted", r.predicted},
                    {"error", r.error},
                    {"left_out", r.left_out_predicted},
                    {"left_out_error", r.left_out_error},
                    {"determined_elsewhere", r.determined_elsewhere},
                    {"outlier", r.outlier}});
  auto& missing = j["not_modelled"] = ordered_json::array();
  for (const auto& [id, reason] : c.not_modelled)
    missing.push_back({{"id", id}, {"reason", reason}});
  auto& mechanisms = j["mechanisms"] = ordered_json::array();
  for (const auto& m : c.mechanisms)
    mechanisms.push_back(
        {{"mechanism", m.mechanism}, {"rows", m.rows}, {"parameters", m.parameters}});
  if (!c.transferred.empty()) {
    auto& list = j["transferred"] = ordered_json::array();
    for (const auto& t : c.transferred)
      list.push_back({{"platform", t.platform},
                      {"name", t.name},
                      {"unit", t.unit},
                      {"fate", fate_name(t.fate)},
                      {"parent", t.parent > 0 ? ordered_json(t.parent) : ordered_json(nullptr)},
                      {"value", t.value},
                      {"lo", t.lo},
                      {"hi", t.hi}});
  }
  j["profile"] = intervals_to_json(c.profile);
  j["bootstrap"] = intervals_to_json(c.bootstrap);
  return j;
}

}  // namespace qpcast::calibrate
