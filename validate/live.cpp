#include "validate/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/analytic/analytic.hpp"
#include "model/error.hpp"
#include "model/repeats.hpp"
#include "scenarios/io/json_reader.hpp"
#include "scenarios/io/text_file.hpp"
#include "validate/report.hpp"

namespace qpcast::validate {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* schema = "qpcast.forecast/1";

ordered_json forecast_to_json(const Forecast& f) {
  ordered_json j{{"id", f.id}, {"layout", f.layout}, {"metric", metric_name(f.metric)}};
  if (f.reason.empty()) {
    j["unit"] = metric_unit(f.metric);
    j["value"] = f.estimate.value;
    j["lo"] = f.estimate.lo;
    j["hi"] = f.estimate.hi;
    j["mechanism"] = f.mechanism;
  } else {
    j["reason"] = f.reason;
  }
  j["outside"] = f.outside;
  return j;
}

Forecast forecast_from_json(const json& value, const std::string& source, std::size_t number) {
  io::ObjectReader o{value, source, fmt::format("forecasts[{}]", number)};
  Forecast f;
  f.id = o.text("id");
  f.layout = o.text("layout");
  const auto metric = find_metric(o.text("metric"));
  if (!metric) o.fail("metric", "no such metric");
  f.metric = *metric;
  f.reason = o.text("reason", "");
  if (f.reason.empty()) {
    if (o.text("unit") != metric_unit(f.metric)) o.fail("unit", "not the metric's");
    f.estimate = {o.number("value"), o.number("lo"), o.number("hi")};
    f.mechanism = o.text("mechanism");
  }
  for (const auto& text : o.member("outside")) f.outside.push_back(text.get<std::string>());
  o.finish();
  return f;
}

/// Only a measured row's environment tells that it answers something else than was forecast.
Answer answer_of(const Forecast& f, const Measurement& row) {
  Answer a;
  a.estimate = f.estimate;
  a.reason = f.reason.empty() ? unanswerable(row) : f.reason;
  a.mechanism = f.mechanism;
  a.warnings = f.outside;
  return a;
}

ordered_json summary_to_json(const Summary& s) {
  return {{"rows", s.rows},
          {"modelled", s.modelled},
          {"median_error", s.median_error},
          {"p90_error", s.p90_error},
          {"interval_coverage", s.interval_coverage}};
}

}  // namespace

bool Forecast::operator==(const Forecast& o) const {
  return id == o.id && layout == o.layout && metric == o.metric &&
         estimate.value == o.estimate.value && estimate.lo == o.estimate.lo &&
         estimate.hi == o.estimate.hi && reason == o.reason;
}

ordered_json to_json(const ForecastFile& file) {
  ordered_json j{
      {"schema", schema}, {"platform", file.platform}, {"calibrated_from", file.calibrated_from},
      {"nic", file.nic},  {"solver", file.solver},     {"seed", file.seed}};
  auto& list = j["forecasts"] = ordered_json::array();
  for (const auto& f : file.forecasts) list.push_back(forecast_to_json(f));
  return j;
}

ForecastFile read_forecasts(const std::filesystem::path& path) {
  const auto source = path.string();
  const auto value = io::parse_json(io::read_text(path), source);
  io::ObjectReader o{value, source};
  o.require_schema(schema);
  ForecastFile file;
  file.platform = o.text("platform");
  file.calibrated_from = o.text("calibrated_from");
  file.nic = o.text("nic");
  file.solver = o.text("solver", "analytic");  // files before there was a choice name none
  file.seed = static_cast<std::uint64_t>(o.number("seed"));
  const auto& list = o.member("forecasts");
  for (std::size_t i = 0; i < list.size(); ++i)
    file.forecasts.push_back(forecast_from_json(list[i], source, i));
  o.finish();
  return file;
}

bool commit_forecasts(const ForecastFile& file, const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    io::write_atomically(path, to_json(file).dump(1) + "\n");
    return false;
  }
  const auto before = read_forecasts(path);
  const bool same = before.platform == file.platform && before.nic == file.nic &&
                    before.solver == file.solver && before.seed == file.seed &&
                    before.forecasts == file.forecasts;
  if (!same)
    throw InputError{
        path.string(), "forecasts",
        fmt::format("other forecasts are written down here (platform {}, {}, {} solver, seed {}); "
                    "give another -o, they are not replaced",
                    before.platform, before.nic, before.solver, before.seed)};
  return true;
}

LiveResult compare_live(const std::vector<Forecast>& forecasts,
                        const std::vector<Measurement>& rows, double tolerance) {
  std::map<std::string, const Measurement*> measured;
  for (const auto& row : rows) measured.emplace(row.id, &row);
  LiveResult result;
  result.tolerance = result.comparison.tolerance = tolerance;
  std::vector<Measurement> in_order;
  std::map<std::string, const Forecast*> forecast_of;
  for (const auto& f : forecasts) {
    const auto it = measured.find(f.id);
    if (it == measured.end()) {
      result.not_measured.push_back(f.id);
      continue;
    }
    in_order.push_back(*it->second);
    forecast_of.emplace(f.id, &f);
    measured.erase(it);
  }
  std::erase_if(measured, [](const auto& m) { return m.second->metric == Metric::goodput; });
  if (!measured.empty())
    throw InputError{measured.begin()->second->where, "id",
                     fmt::format("'{}' was not forecast; give a file of its own to a live "
                                 "validation",
                                 measured.begin()->first)};
  result.comparison = compare(
      in_order, [&](const Measurement& m) { return answer_of(*forecast_of.at(m.id), m); },
      tolerance);
  const auto repeats = repeats_of_rates(rows);
  result.comparison.repeated = static_cast<int>(std::ranges::count(repeats, true));
  return result;
}

LiveSummary LiveResult::summary() const {
  LiveSummary s;
  s.all = comparison.summary();
  const auto groups =
      comparison.by([](const RowResult& r) { return r.warnings.empty() ? "inside" : "outside"; });
  if (const auto it = groups.find("inside"); it != groups.end()) s.inside = it->second;
  if (const auto it = groups.find("outside"); it != groups.end()) s.outside = it->second;
  return s;
}

bool LiveResult::within_tolerance() const {
  const auto s = comparison.summary();
  return s.modelled > 0 && s.median_error <= tolerance && s.p90_error <= tail * tolerance;
}

ordered_json to_json(const LiveResult& result, const ForecastFile& file) {
  const auto s = result.summary();
  ordered_json j{{"schema", "qpcast.live/1"},
                 {"platform", file.platform},
                 {"calibrated_from", file.calibrated_from},
                 {"nic", file.nic},
                 {"solver", file.solver},
                 {"seed", file.seed},
                 {"tolerance", result.tolerance},
                 {"within_tolerance", result.within_tolerance()},
                 {"all", summary_to_json(s.all)},
                 {"interpolation", summary_to_json(s.inside)},
                 {"extrapolation", summary_to_json(s.outside)},
                 {"repeated_rates", result.comparison.repeated}};
  auto& metrics = j["by_metric"] = ordered_json::object();
  for (const auto& [name, summary] : result.comparison.by(
           [](const RowResult& r) { return std::string{metric_name(r.row.metric)}; }))
    metrics[name] = summary_to_json(summary);
  j["not_measured"] = result.not_measured;
  j["rows"] = to_json(result.comparison)["rows"];
  return j;
}

}  // namespace qpcast::validate
