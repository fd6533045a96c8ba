#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/context.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/text_file.hpp"
#include "validate/report_html.hpp"

namespace qpcast::cli {

namespace {

struct Arguments {
  std::string platform, data, out, title;
  SolverChoice solver;
  double tolerance = 0.15;
};

void run(const Arguments& a) {
  const auto rows = io::read_measurements(a.data);
  auto platforms = load_platforms();
  if (!a.platform.empty()) {
    auto p = load_platform(a.platform);
    const auto name = p.name;
    platforms.clear();
    platforms.emplace(name, std::move(p));
  }
  const auto presets = load_presets();
  const auto c = validate::compare(rows, make_answerer(a.solver, platforms, presets), a.tolerance);
  std::erase_if(platforms, [&](const auto& item) {
    return a.platform.empty() && std::none_of(rows.begin(), rows.end(), [&](const auto& row) {
             return row.platform == item.first;
           });
  });
  const auto title =
      a.title.empty() ? "qpcast: " + std::filesystem::path{a.data}.filename().string() : a.title;
  io::write_atomically(a.out, validate::to_html(c, platforms, title));
  fmt::print("{} rows in {}\n", c.rows.size(), a.out);
}

}  // namespace

void add_report(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("report", "Predicted beside measured, as one HTML file");
  const auto a = std::make_shared<Arguments>();
  sub->add_option("--platform", a->platform,
                  "Platform name or .json file; without it, each row's own");
  sub->add_option("--data", a->data, "Measurements, .csv or .jsonl")->required();
  sub->add_option("-o,--output", a->out, "The file, .html")
      ->required()
      ->check([](const std::string& name) {
        return name.ends_with(".html") ? std::string{} : "must end in .html";
      });
  sub->add_option("--title", a->title, "Title [the data's file name]");
  sub->add_option("--tolerance", a->tolerance, "Relative error a row may have")
      ->check(CLI::Range(0.0, 10.0))
      ->check(a_number())
      ->capture_default_str();
  add_solver(*sub, a->solver, false);
  sub->footer(
      "Examples:\n  qpcast report --data data/published/published.csv -o report.html\n"
      "  qpcast report --platform mine.json --data run.jsonl -o mine.html");
  sub->callback([a] { run(*a); });
}

}  // namespace qpcast::cli
