#include <fmt/format.h>

#include <memory>

#include "cli/context.hpp"
#include "model/analytic/analytic.hpp"
#include "model/error.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "model/simgrid/workload_solver.hpp"
#include "scenarios/io/workloads.hpp"

namespace qpcast::cli {

namespace {

/// Where a row's workload has a scenario of the same name, its exchange on one switch.
Answer answer_workload(const Measurement& row, const Platform& platform, const Presets& presets,
                       const SimulationOptions& options) {
  Answer a;
  if (row.metric != Metric::issue_end || row.statistic != Statistic::value) {
    a.reason = "the receivers' waiting and copying have no mechanism; only issue_end is simulated";
    return a;
  }
  const auto question = question_of(row, presets);
  const auto workload = io::read_workload(row.layout.text(Key::workload));
  const auto report = WorkloadSolver{platform, options}.predict(
      workload, Fabric{}, question.config.layout, question.config.preset);
  a.estimate = {report.issue_end.most, report.issue_end.least, report.issue_end.most};
  a.mechanism = "workload";
  a.warnings = report.warnings;
  return a;
}

template <class Solver>
validate::Answerer answerer(std::map<std::string, Solver> solvers, const Presets& presets) {
  const auto shared = std::make_shared<std::map<std::string, Solver>>(std::move(solvers));
  return [shared, &presets](const Measurement& row) {
    const auto it = shared->find(row.platform);
    if (it != shared->end()) return it->second.answer(question_of(row, presets));
    Answer none;
    none.reason = fmt::format("measured on {}, which is not the platform asked for", row.platform);
    return none;
  };
}

template <class Solver>
Forecaster forecaster(Solver solver) {
  return [shared = std::make_shared<Solver>(std::move(solver))](const Layout& layout,
                                                                const LibraryPreset* preset) {
    return shared->predict(layout, preset);
  };
}

}  // namespace

void add_solver(CLI::App& sub, SolverChoice& choice, bool one_layout) {
  auto& o = choice.simulation;
  sub.add_option("--solver", choice.name, "analytic, or simgrid (discrete events)")
      ->check(CLI::IsMember({"analytic", "simgrid"}))
      ->capture_default_str();
  sub.add_option("--seed", o.seed, "same seed, same simulation (same hold-out layouts)")
      ->check(CLI::Range(0.0, 9007199254740992.0))
      ->capture_default_str();
  sub.add_option("--messages", o.messages, "simgrid: messages a simulation carries at most")
      ->check(CLI::Range(1e3, 1e12))
      ->capture_default_str();
  sub.add_option("--half-width", o.half_width, "simgrid: stop when the rate is this sure, relative")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  sub.add_option("--lane-jitter", o.lane_jitter,
                 "simgrid: coefficient of variation of a thread's time to build")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  static const std::map<std::string, simgrid::Replacement> policies{
      {"random", simgrid::Replacement::random}, {"lru", simgrid::Replacement::lru}};
  sub.add_option("--replacement", o.replacement,
                 "simgrid: what a miss replaces in the NIC's context cache, random or lru")
      ->transform(CLI::CheckedTransformer(policies));
  if (!one_layout) return;
  sub.add_option("--trace", o.trace, "simgrid: write a Chrome/Perfetto trace to this file");
  sub.add_option("--trace-from", o.trace_from, "simgrid: leave out what ends before this time, us")
      ->check(CLI::Range(0.0, 1e12));
  sub.add_option("--trace-spans", o.trace_events, "simgrid: spans the trace holds at most")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
}

Forecaster make_forecaster(const SolverChoice& choice, const Platform& platform) {
  if (choice.simulated()) return forecaster(SimgridSolver{platform, choice.simulation});
  if (!choice.simulation.trace.empty())
    throw InputError{command_line, "--trace", "only --solver simgrid has a timeline to trace"};
  return forecaster(AnalyticSolver{platform});
}

validate::Answerer make_answerer(const SolverChoice& choice,
                                 const std::map<std::string, Platform>& platforms,
                                 const Presets& presets) {
  const auto all = [&](auto make) {
    std::map<std::string, decltype(make(platforms.begin()->second))> solvers;
    for (const auto& [name, platform] : platforms) solvers.emplace(name, make(platform));
    return answerer(std::move(solvers), presets);
  };
  if (!choice.simulated()) return all([](const Platform& p) { return AnalyticSolver{p}; });
  const auto simulated = all([&](const Platform& p) {
    return SimgridSolver{p, choice.simulation};
  });
  return [=, &platforms, &presets](const Measurement& row) {
    const auto it = platforms.find(row.platform);
    if (!row.layout.has(Key::workload) || it == platforms.end()) return simulated(row);
    return answer_workload(row, it->second, presets, choice.simulation);
  };
}

}  // namespace qpcast::cli
