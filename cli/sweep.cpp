#include "model/sweep.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <thread>

#include "cli/context.hpp"
#include "cli/terminal.hpp"
#include "model/error.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/sweep_file.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::cli {

namespace {

struct Arguments {
  std::string platform, library, out;
  std::vector<std::string> keys;
  SolverChoice solver;
  int jobs = 1;
};

/// Everything that decides the bytes of the result: version, platform, presets, layouts, solver.
std::string signature_of(const Arguments& a, const Platform& platform) {
  std::set<std::string> presets;  // directory order is not defined
  for (const auto& entry :
       std::filesystem::directory_iterator{io::data_path("scenarios/libraries")})
    presets.insert(io::read_text(entry.path()));
  std::string text = io::to_json(platform);
  for (const auto& preset : presets) text += preset;
  const auto& o = a.solver.simulation;
  return fmt::format(
      "{} {} {:x} library={} {} {} seed={} messages={} half-width={} jitter={} replacement={}",
      QPCAST_VERSION, platform.name, std::hash<std::string>{}(text), a.library,
      fmt::join(a.keys, " "), a.solver.name, o.seed, o.messages, o.half_width, o.lane_jitter,
      static_cast<int>(o.replacement));
}

void run(const Arguments& a) {
  const auto platform = load_platform(a.platform);
  const auto presets = std::make_shared<const Presets>(load_presets());
  Layout base;
  base.library = a.library;
  find_preset(*presets, a.library, command_line);
  const Sweep sweep{a.keys, base, command_line};
  Progress progress{fmt::format("{} layouts", sweep.size())};
  io::SweepRun job;
  job.out = a.out;
  job.platform = platform.name;
  job.signature = signature_of(a, platform);
  job.jobs = a.jobs;
  job.progress = [&](double done) { progress.update(done); };
  constexpr std::uint64_t simulations = 4;  // few enough to lose little when interrupted
  if (a.solver.simulated()) job.chunk = simulations;
  job.make_predictor = [&]() -> io::Predictor {
    return [forecast = make_forecaster(a.solver, platform), presets](const Layout& layout) {
      return forecast(layout, find_preset(*presets, layout.library, command_line));
    };
  };
  const auto already = io::run_sweep(sweep, job);
  if (already > 0) fmt::print(stderr, "resumed after {} layouts\n", already);
  fmt::print("{} layouts in {}\n", sweep.size(), a.out);
}

}  // namespace

void add_sweep(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("sweep", "Forecast every combination of value lists");
  const auto a = std::make_shared<Arguments>();
  sub->add_option("--platform", a->platform, "Platform name or .json file")->required();
  sub->add_option("--library", a->library, "Library preset (scenarios/libraries)");
  add_solver(*sub, a->solver, false);
  sub->add_option("--jobs", a->jobs,
                  "Worker threads (simgrid: processes); the result does not depend on them")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->add_option("-o,--output", a->out, "Result, .csv or .jsonl; an interrupted run resumes")
      ->required();
  sub->add_option("key=values", a->keys, "key=a,b,c or key=1..64*2 or key=1..10+3")->required();
  sub->footer(
      "Examples:\n  qpcast sweep --platform P-IB --library mini-gda qps=1..64*2 batch=1,16,32 "
      "threads=64 -o qps.csv\n"
      "  qpcast sweep --platform P-H100 role=all-to-all active_qps=16..32768*2 "
      "writes_per_visit=32,256 --jobs 2 -o conn.jsonl");
  sub->callback([a] { run(*a); });
}

}  // namespace qpcast::cli
