#include "calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "calibrate/checks.hpp"
#include "calibrate/facts.hpp"
#include "calibrate/report.hpp"
#include "cli/context.hpp"
#include "cli/terminal.hpp"
#include "model/error.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::cli {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> data, accept;
  std::string facts, out;
  int bootstrap = 0;
  bool profile = false, json = false;
};

std::vector<Measurement> read_all(const std::vector<std::string>& files) {
  std::vector<Measurement> rows;
  std::map<std::string, std::string> seen;
  for (const auto& file : files)
    for (auto& row : io::read_measurements(file)) {
      if (const auto [it, fresh] = seen.emplace(row.id, file); !fresh)
        throw InputError{file, "id", fmt::format("'{}' is also in {}", row.id, it->second)};
      rows.push_back(std::move(row));
    }
  return rows;
}

/// A file when one platform came out, else a directory with a file for each.
void write_platforms(const std::vector<Platform>& platforms, const std::string& out) {
  if (!out.ends_with(".json")) {
    fs::create_directories(out);
    for (const auto& p : platforms)
      io::write_atomically(fs::path{out} / (p.name + ".json"), io::to_json(p));
    return;
  }
  if (platforms.size() > 1)
    throw InputError{command_line, "-o",
                     fmt::format("{} platforms came out; name a directory", platforms.size())};
  io::write_atomically(out, io::to_json(platforms.front()));
}

void print_rows(const calibrate::Calibration& c) {
  Table table{
      {"<row", "<platform", "<metric", "measured", "fitted", "error, %", "left out, %", "<"}};
  for (const auto& r : c.rows)
    table.row({r.id, r.platform, std::string{metric_name(r.metric)}, number(r.measured),
               number(r.predicted), fmt::format("{:.1f}", 100 * r.error),
               fmt::format("{:.1f}", 100 * r.left_out_error),
               fmt::format("{}{}", r.determined_elsewhere ? "" : "alone on a parameter ",
                           r.outlier ? "outlier" : "")});
  fmt::print("{}\n", table.text());
  for (const auto& [id, reason] : c.not_modelled) fmt::print("not modelled: {}: {}\n", id, reason);
}

void print_summary(const calibrate::Calibration& c) {
  Table table{{"<mechanism", "rows", "parameters determined"}};
  for (const auto& m : c.mechanisms)
    table.row({m.mechanism, fmt::format("{}", m.rows), fmt::format("{}", m.parameters)});
  fmt::print("\n{}\n", table.text());
  const auto s = calibrate::summarise(c);
  fmt::print(
      "{} rows used, {} not modelled; {} free parameters, {} assumed; effective parameters "
      "{:.1f}\n",
      c.rows.size(), c.not_modelled.size(), c.free_parameters, c.assumed_parameters,
      c.effective_parameters);
  fmt::print(
      "residuals: median {:.1f} %, nine in ten within {:.1f} %; unexplained spread {:.1f} %\n",
      100 * s.median_error, 100 * s.p90_error, 100 * c.discrepancy);
  fmt::print(
      "leave-one-out: median {:.1f} % over the {} rows whose parameters other rows determine too\n",
      100 * s.median_left_out, s.shared_rows);
}

void print_intervals(const char* title, const std::vector<calibrate::Interval>& intervals) {
  if (intervals.empty()) return;
  Table table{{"<parameter", "value", "90 % lo", "hi"}};
  for (const auto& i : intervals) table.row({i.name, number(i.value), number(i.lo), number(i.hi)});
  fmt::print("\n{}\n{}", bold(title), table.text());
}

void run(const Arguments& a) {
  const auto rows = read_all(a.data);
  calibrate::Warnings assumed;
  const auto facts = calibrate::facts_of(
      rows,
      io::read_facts(a.facts.empty() ? io::data_path("data/published/platforms.json").string()
                                     : a.facts),
      assumed);
  Progress progress{"calibrate"};
  calibrate::Options options;
  options.bootstrap = a.bootstrap;
  options.profile = a.profile;
  options.progress = [&](const std::string&, double done) { progress.update(done); };
  std::string source;
  for (const auto& file : a.data)
    source += (source.empty() ? "" : ", ") + fs::path{file}.lexically_normal().string();
  options.accept = {a.accept.begin(), a.accept.end()};
  auto c = calibrate::calibrate(rows, facts, load_presets(), source, options);
  c.warnings.insert(c.warnings.begin(), assumed.begin(), assumed.end());
  write_platforms(c.platforms, a.out);
  for (const auto& w : c.warnings)
    fmt::print(stderr, "qpcast: warning: {}: {}: {}\n", w.name, w.where, w.text);
  if (a.json) {
    fmt::print("{}\n", calibrate::to_json(c).dump(1));
    return;
  }
  print_rows(c);
  print_summary(c);
  print_intervals("likelihood-profile intervals", c.profile);
  print_intervals("bootstrap intervals", c.bootstrap);
  fmt::print("wrote {}\n", a.out);
}

}  // namespace

void add_calibrate(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("calibrate", "Fit platforms to measurements");
  const auto a = std::make_shared<Arguments>();
  sub->add_option("data", a->data, "Measurements, .csv or .jsonl")->required();
  sub->add_option("-o,--output", a->out, "Platform .json, or a directory for several platforms")
      ->required();
  sub->add_option("--facts", a->facts,
                  "Data-sheet facts by platform [data/published/platforms.json]; what it does not "
                  "name is derived from the rows");
  sub->add_option("--accept", a->accept, "Take this finding as a warning, not an error")
      ->check(CLI::IsMember(calibrate::acceptable));
  sub->add_option("--bootstrap", a->bootstrap, "Bootstrap refits for intervals")
      ->check(CLI::Range(0, 100000));
  sub->add_flag("--profile", a->profile, "Likelihood-profile intervals");
  sub->add_flag("--json", a->json, "JSON instead of tables");
  sub->footer(
      "Examples:\n  qpcast calibrate data/published/published.csv -o data/platforms\n"
      "  qpcast calibrate run.jsonl -o mine.json --bootstrap 1000");
  sub->callback([a] { run(*a); });
}

}  // namespace qpcast::cli
