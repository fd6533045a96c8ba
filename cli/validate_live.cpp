#include "cli/validate_live.hpp"

#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "cli/context.hpp"
#include "cli/device.hpp"
#include "cli/terminal.hpp"
#include "hw/experiments/subject.hpp"
#include "model/error.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/text_file.hpp"
#include "validate/domain.hpp"
#include "validate/live.hpp"

namespace qpcast::cli {

namespace {

void check(const LiveArguments& a) {
  if (a.platform.empty())
    throw InputError{command_line, "--platform", "required: the platform file to be validated"};
  if (a.measure.output.empty())
    throw InputError{command_line, "--output", "give the file for the rows (-o result.jsonl)"};
  if (a.plan != "holdout")
    throw InputError{command_line, "--plan", fmt::format("'{}' is not 'holdout'", a.plan)};
}

/// Goodput repeats the rate, and is forecast with it.
bool counts(Metric metric) { return metric != Metric::goodput; }

validate::ForecastFile forecast(const LiveArguments& a, const Platform& platform,
                                const hw::Outlook& outlook) {
  validate::ForecastFile file{
      platform.name, platform.calibrated_from, fmt::format("{} {}", outlook.kind, outlook.device),
      a.solver.name, a.holdout.seed,           {}};
  const auto presets = load_presets();
  const validate::CalibratedDomain domain{platform.layouts};
  const std::map<std::string, Platform> platforms{{platform.name, platform}};
  const auto answer_to = make_answerer(a.solver, platforms, presets);
  for (const auto& point : outlook.points)
    for (const auto metric : hw::metrics_of(point)) {
      if (!counts(metric)) continue;
      Measurement row;
      row.id = hw::row_id(point, metric);
      row.platform = platform.name;
      row.layout = point.layout;
      row.library = point.layout.library;
      row.metric = metric;
      const auto answer = answer_to(row);
      file.forecasts.push_back({row.id, point.layout.to_string(), metric, answer.estimate,
                                answer.reason, answer.mechanism, domain.outside(point.layout)});
    }
  return file;
}

void print_summary(const char* what, const validate::Summary& s) {
  if (s.modelled == 0) return fmt::print("{:<22} no rows\n", what);
  fmt::print(
      "{:<22} {:>4} rows, median error {:.1f} %, nine in ten within {:.1f} %, {:.0f} % inside "
      "their 90 % interval\n",
      what, s.modelled, 100 * s.median_error, 100 * s.p90_error, 100 * s.interval_coverage);
}

void print(const validate::LiveResult& result, bool simulated) {
  Table table{{"<layout", "<metric", "measured", "forecast", "<unit", "error, %", "<90 %", "<"}};
  for (const auto& r : result.comparison.rows) {
    const auto measured =
        number(r.row.value) + (r.row.source.kind == "emulated" ? " emulated" : "");
    table.row({r.row.layout.to_string(), std::string{metric_name(r.row.metric)}, measured,
               r.modelled ? number(r.predicted.value) : "-", r.row.unit,
               r.modelled ? fmt::format("{:.1f}", 100 * r.error) : "-",
               !r.modelled         ? "not modelled: " + r.reason
               : r.inside_interval ? "in"
                                   : "out",
               r.warnings.empty() ? "" : "extrapolated: " + r.warnings.front()});
  }
  fmt::print("{}\n", table.text());
  for (const auto& id : result.not_measured) fmt::print("not measured: {}\n", id);
  const auto s = result.summary();
  print_summary("interpolation", s.inside);
  print_summary("extrapolation", s.outside);
  print_summary("all", s.all);
  if (s.all.rows > s.all.modelled)
    fmt::print("{:<22} {:>4} rows, for the reasons above\n", "not modelled",
               s.all.rows - s.all.modelled);
  for (const auto& [name, summary] : result.comparison.by(
           [](const validate::RowResult& r) { return std::string{metric_name(r.row.metric)}; }))
    print_summary(("  " + name).c_str(), summary);
  if (simulated) fmt::print("intervals are of the simulation's sampling alone\n");
}

int run(LiveArguments& a) {
  check(a);
  const auto platform = load_platform(a.platform);
  a.holdout.seen = {platform.layouts.begin(), platform.layouts.end()};
  if (a.holdout.seen.empty())
    fmt::print(stderr,
               "qpcast: warning: {} names no calibrated layouts: every forecast is an "
               "extrapolation\n",
               platform.name);
  a.measure.holdout = a.holdout;
  a.measure.plan = "quick";
  a.measure.platform = platform.name;
  a.measure.alternate = true;
  fmt::print(stderr, "qpcast: {} hold-out layouts, seed {}\n", a.holdout.layouts, a.holdout.seed);
  const auto file = forecast(a, platform, hw::outlook(a.measure));
  const auto path = a.measure.output + ".forecasts.json";
  const bool resumed = validate::commit_forecasts(file, path);
  fmt::print(stderr, "qpcast: {} {} forecasts {} {}; measuring now\n", file.forecasts.size(),
             file.solver, resumed ? "found in" : "written to", path);
  std::ostringstream measured;
  const auto [rows, failed] = hw::measure(a.measure, measured);
  fmt::print(stderr, "{}", measured.str());
  if (failed > 0 && rows == 0) return points_failed(failed, a.measure.output);
  const auto result =
      validate::compare_live(file.forecasts, io::read_measurements(a.measure.output), a.tolerance);
  const auto report = to_json(result, file);
  io::write_atomically(a.measure.output + ".report.json", report.dump(1) + "\n");
  if (a.json)
    fmt::print("{}\n", report.dump(1));
  else
    print(result, a.solver.simulated());
  if (failed > 0) return points_failed(failed, a.measure.output);
  return result.within_tolerance() ? ok : out_of_tolerance;
}

}  // namespace

std::vector<CLI::Option*> add_live_options(CLI::App& sub, LiveArguments& a) {
  a.measure.passes = 9;
  return {
      sub.add_option("--nic", a.measure.nic, "with --live: emulated, verbs or mlx5"),
      sub.add_option("--plan", a.plan, "with --live: holdout"),
      sub.add_option("--layouts", a.holdout.layouts, "with --live: how many layouts are drawn")
          ->check(CLI::Range(1, 100000))
          ->capture_default_str(),
      sub.add_option("-o,--output", a.measure.output, "with --live: JSONL file for the rows"),
      sub.add_option("--passes", a.measure.passes, "with --live: alternating passes")
          ->check(CLI::Range(1, 1000)),
      sub.add_option("--emulate", a.measure.emulate, "with --live: what the emulated NIC imposes"),
      sub.add_option("-d,--ib-dev", a.measure.device, "with --live: verbs device"),
      sub.add_option("-x,--gid-index", a.measure.gid_index, "with --live: GID index"),
      sub.add_flag("-F", a.measure.ignore_governor,
                   "with --live: do not warn about the CPU governor"),
  };
}

int validate_live(LiveArguments& a) {
  return with_device([&] { return run(a); });
}

}  // namespace qpcast::cli
