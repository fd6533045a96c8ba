#include "validate/compare.hpp"

#include <fmt/format.h>

#include "cli/context.hpp"
#include "cli/terminal.hpp"
#include "cli/validate_live.hpp"
#include "model/error.hpp"
#include "scenarios/io/measurements.hpp"
#include "validate/report.hpp"

namespace qpcast::cli {

namespace {

struct Arguments {
  std::string platform, data;
  LiveArguments live;
  bool is_live = false;
  SolverChoice solver;
  double tolerance = 0.15;
  bool json = false, csv = false, markdown = false;
  std::vector<CLI::Option*> only_live;  ///< mean nothing without --live
  CLI::Option* seed = nullptr;          ///< of the simulation, or of the layouts that are drawn
};

void print_table(const validate::Comparison& c, bool simulated) {
  Table table{
      {"<row", "<platform", "<metric", "measured", "predicted", "<unit", "error, %", "<90 %", "<"}};
  for (const auto& r : c.rows) {
    const auto metric = std::string{metric_name(r.row.metric)};
    const auto measured =
        number(r.row.value) + (r.row.source.kind == "emulated" ? " emulated" : "");
    if (!r.modelled) {
      table.row({r.row.id, r.row.platform, metric, measured, "-", r.row.unit, "-", "",
                 "not modelled: " + r.reason});
      continue;
    }
    const bool fine = r.error <= c.tolerance;
    table.row({r.row.id, r.row.platform, metric, measured, number(r.predicted.value), r.row.unit,
               fmt::format("{:.1f}", 100 * r.error), r.inside_interval ? "in" : "out",
               fine             ? ""
               : r.inside_range ? "within the published range"
                                : red("out of tolerance")});
  }
  const auto s = c.summary();
  fmt::print("{}\n{} rows, {} modelled, {} within {:.0f} % or the published range\n", table.text(),
             s.rows, s.modelled, s.within_tolerance, 100 * c.tolerance);
  if (c.repeated > 0)
    fmt::print("{} goodput rows repeat a measured rate, and are counted with it\n", c.repeated);
  if (s.modelled == 0) return;
  fmt::print("median error {:.1f} %, nine in ten within {:.1f} %, {}\n", 100 * s.median_error,
             100 * s.p90_error,
             simulated
                 ? "intervals are of the simulation's sampling alone"
                 : fmt::format("{:.0f} % inside their 90 % interval", 100 * s.interval_coverage));
}

void print_csv(const validate::Comparison& c) {
  fmt::print("id,platform,metric,measured,predicted,lo,hi,unit,relative_error,modelled,reason\n");
  for (const auto& r : c.rows) {
    fmt::print("{},{},{},{},", io::csv_field(r.row.id), io::csv_field(r.row.platform),
               metric_name(r.row.metric), r.row.value);
    if (r.modelled)
      fmt::print("{},{},{},{},{},true,\n", r.predicted.value, r.predicted.lo, r.predicted.hi,
                 r.row.unit, r.error);
    else
      fmt::print(",,,{},,false,{}\n", r.row.unit, io::csv_field(r.reason));
  }
}

int run(Arguments& a) {
  if (a.is_live) {
    a.live.platform = a.platform;
    a.live.tolerance = a.tolerance;
    a.live.json = a.json;
    a.live.holdout.seed = a.solver.simulation.seed;
    a.live.solver = a.solver;
    return validate_live(a.live);
  }
  for (const auto* option : a.only_live)
    if (option->count() > 0)
      throw InputError{command_line, option->get_name(), "only with --live, which measures"};
  if (a.seed->count() > 0 && !a.solver.simulated())
    throw InputError{command_line, "--seed", "only with --live or --solver simgrid"};
  if (a.data.empty()) throw InputError{command_line, "--data", "required (or --live)"};
  const auto rows = io::read_measurements(a.data);
  std::map<std::string, Platform> platforms;
  if (a.platform.empty()) {
    platforms = load_platforms();
  } else {
    auto p = load_platform(a.platform);
    const auto name = p.name;
    platforms.emplace(name, std::move(p));
  }
  const auto presets = load_presets();
  const auto c = validate::compare(rows, make_answerer(a.solver, platforms, presets), a.tolerance);
  if (a.json)
    fmt::print("{}\n", validate::to_json(c).dump(1));
  else if (a.markdown)
    fmt::print("{}", validate::to_markdown(c));
  else if (a.csv)
    print_csv(c);
  else
    print_table(c, a.solver.simulated());
  const auto s = c.summary();
  return s.within_tolerance < s.modelled ? out_of_tolerance : ok;
}

}  // namespace

void add_validate(CLI::App& app, int& status) {
  auto* sub = app.add_subcommand("validate", "Predicted beside measured, row by row");
  const auto a = std::make_shared<Arguments>();
  sub->add_option("--platform", a->platform,
                  "Platform name or .json file; without it, each row's own");
  auto* data = sub->add_option("--data", a->data, "Measurements, .csv or .jsonl");
  sub->add_flag("--live", a->is_live,
                "Draw layouts that calibration did not see, forecast, then measure, then compare")
      ->excludes(data);
  a->only_live = add_live_options(*sub, a->live);
  sub->add_option("--tolerance", a->tolerance, "Relative error a row may have")
      ->check(CLI::Range(0.0, 10.0))
      ->check(a_number())
      ->capture_default_str();
  add_solver(*sub, a->solver, false);
  a->seed = sub->get_option("--seed");
  auto* json = sub->add_flag("--json", a->json, "JSON instead of a table");
  auto* csv = sub->add_flag("--csv", a->csv, "CSV instead of a table")->excludes(json);
  sub->add_flag("--markdown", a->markdown, "Errors by mechanism, as a Markdown table")
      ->excludes(json)
      ->excludes(csv);
  sub->footer(
      "--live ends with status 1 when the median error is above the tolerance, or one row in ten\n"
      "is above 2.5 times it. Files: OUT the rows, OUT.forecasts.json what was forecast before,\n"
      "OUT.report.json the comparison. The same command continues a run that was stopped.\n"
      "Exit status 1 when a modelled row is out of tolerance and outside the range its source "
      "states.\n"
      "Examples:\n  qpcast validate --data data/published/published.csv\n"
      "  qpcast validate --platform P-IB --data run.jsonl --tolerance 0.1 --json\n"
      "  qpcast validate --live --platform mine.json --nic verbs -o live.jsonl --seed 7");
  sub->callback([a, &status] { status = run(*a); });
}

}  // namespace qpcast::cli
