#include "calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "calibrate/checks.hpp"
#include "calibrate/facts.hpp"
#include "calibrate/gather.hpp"
#include "calibrate/report.hpp"
#include "cli/calibrate_report.hpp"
#include "cli/context.hpp"
#include "cli/terminal.hpp"
#include "hw/experiments/plan.hpp"
#include "hw/experiments/subject.hpp"
#include "model/error.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::cli {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> data, accept, only, row_ids;
  std::string facts, out, parent, quick;
  int bootstrap = 0;
  bool profile = false, json = false, hold_out = false, leave_one_out = true;
};

std::vector<Measurement> read_all(const std::vector<std::string>& files,
                                  calibrate::Warnings& warnings) {
  std::vector<calibrate::FileRows> all;
  for (const auto& file : files) {
    auto [rows, notes] = io::read_measurement_file(file);
    std::set<std::string> ids;
    for (const auto& row : rows) ids.insert(row.id);
    calibrate::check_finished(file, notes, ids, warnings);
    all.push_back({file, std::move(rows)});
  }
  return calibrate::gather(all);
}

/// A file when one platform came out, else a directory with a file for each.
void write_platforms(const std::vector<Platform>& platforms, const std::string& out) {
  if (!out.ends_with(".json")) {
    if (out.empty() || (fs::exists(out) && !fs::is_directory(out)))
      throw InputError{command_line, "-o", "a platform file ends in .json; else it is a directory"};
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

/// Whether rows of several platforms had the id before it was qualified.
bool shared(const std::string& id, const std::vector<Measurement>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Measurement& m) { return m.id == m.platform + "/" + id; });
}

void keep_only(const Arguments& a, std::vector<Measurement>& rows) {
  const auto wanted = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& id : a.row_ids)
    if (std::none_of(rows.begin(), rows.end(), [&](const auto& m) { return m.id == id; }))
      throw InputError{
          command_line, "--row",
          fmt::format("no row '{}' in the data{}", id,
                      shared(id, rows) ? "; several platforms have it: PLATFORM/ID" : "")};
  std::erase_if(rows, [&](const Measurement& m) {
    return !wanted(a.only, m.platform) || !wanted(a.row_ids, m.id);
  });
  if (rows.empty()) throw InputError{command_line, "--only", "no row is left"};
}

/// What `measure` could run on the machine that these rows come from.
std::vector<calibrate::Experiment> experiments(const std::vector<Measurement>& rows,
                                               const std::string& platform) {
  const auto first = std::find_if(rows.begin(), rows.end(),
                                  [&](const Measurement& m) { return m.platform == platform; });
  hw::Scope scope;
  hw::describe_scope(first->environment, first->source.kind, scope);
  std::vector<calibrate::Experiment> list;
  for (const auto& point : hw::make_plan("full", scope, {}).points)
    for (const auto metric : hw::metrics_of(point)) {
      if (list.empty() || list.back().name != point.experiment)
        list.push_back({point.experiment, {}});
      Measurement row;
      row.id = hw::row_id(point, metric);
      row.platform = platform;
      row.library = point.layout.library;
      row.layout = point.layout;
      row.metric = metric;
      list.back().rows.push_back(std::move(row));
    }
  return list;
}

void run(Arguments& a) {
  if (!a.quick.empty()) a.data.push_back(a.quick);
  if (a.data.empty()) throw InputError{command_line, "data", "give a file of measurements"};
  calibrate::Warnings warnings;
  auto rows = read_all(a.data, warnings);
  keep_only(a, rows);
  const auto facts = calibrate::facts_of(
      rows,
      io::read_facts(a.facts.empty() ? io::data_path("data/published/platforms.json").string()
                                     : a.facts),
      warnings);
  std::optional<Platform> parent;
  if (!a.parent.empty()) parent = load_platform(a.parent, "--from");
  Progress progress{"calibrate"};
  calibrate::Options options;
  options.bootstrap = a.bootstrap;
  options.profile = a.profile;
  options.leave_one_out = a.leave_one_out;
  options.accept = {a.accept.begin(), a.accept.end()};
  options.parent = parent ? &*parent : nullptr;
  options.progress = [&](const std::string&, double done) { progress.update(done); };
  std::string source;
  for (const auto& file : a.data)
    source += (source.empty() ? "" : ", ") + fs::path{file}.lexically_normal().string();
  if (parent) source += fmt::format("; priors from {}", parent->name);
  const auto presets = load_presets();
  auto c = calibrate::calibrate(rows, facts, presets, source, options);
  c.warnings.insert(c.warnings.begin(), warnings.begin(), warnings.end());
  std::vector<calibrate::HeldOut> held_out;
  if (a.hold_out) held_out = calibrate::hold_out(rows, facts, presets, options);
  write_platforms(c.platforms, a.out);
  print_warnings(c.warnings);
  auto json = calibrate::to_json(c);
  if (a.hold_out) json["hold_out"] = hold_out_to_json(held_out);
  if (!a.json) {
    print_rows(c);
    print_summary(c);
    print_hold_out(held_out);
    print_intervals("likelihood-profile intervals", c.profile);
    print_intervals("bootstrap intervals", c.bootstrap);
    print_transfer(c.transferred);
  }
  for (const auto& p : c.platforms) {
    const auto found = calibrate::identify(p, presets, experiments(rows, p.name));
    if (a.json)
      json["identifiability"][p.name] = calibrate::to_json(found);
    else
      print_identifiability(p.name, found);
  }
  fmt::print("{}\n", a.json ? json.dump(1) : fmt::format("wrote {}", a.out));
}

}  // namespace

void add_calibrate(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("calibrate", "Fit platforms to measurements");
  const auto a = std::make_shared<Arguments>();
  sub->add_option("data", a->data, "Measurements, .csv or .jsonl");
  sub->add_option("--from", a->parent,
                  "Derive the platform from this one (name or .json): its values are the priors");
  sub->add_option("--quick", a->quick, "Measurements of the platform that is derived")
      ->needs(sub->get_option("--from"));
  sub->add_option("--only", a->only, "Only rows of this platform; may be repeated");
  sub->add_option("--row", a->row_ids, "Only the row with this id; may be repeated");
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
  sub->add_flag("--hold-out", a->hold_out,
                "Also fit each half of the layouts and forecast the other half");
  sub->add_flag("!--no-leave-one-out", a->leave_one_out,
                "Leave out the refits without each row, most of the time that calibration takes");
  sub->add_flag("--json", a->json, "JSON instead of tables");
  sub->footer(
      "Examples:\n  qpcast calibrate data/published/published.csv -o data/platforms\n"
      "  qpcast calibrate run.jsonl -o mine.json --bootstrap 1000 --hold-out\n"
      "  qpcast calibrate --from P-IB --quick run.jsonl -o mine.json");
  sub->callback([a] { run(*a); });
}

}  // namespace qpcast::cli
