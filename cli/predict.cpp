#include <fmt/format.h>

#include "cli/context.hpp"
#include "cli/terminal.hpp"
#include "model/error.hpp"
#include "model/simgrid/workload_solver.hpp"
#include "scenarios/io/environment.hpp"
#include "scenarios/io/predictions.hpp"
#include "scenarios/io/workloads.hpp"

namespace qpcast::cli {

namespace {

struct Arguments {
  std::string platform, library, environment, workload, fabric;
  bool flows = false;
  std::vector<std::string> keys;
  SolverChoice solver;
  bool json = false, csv = false;
};

/// The layout of the command line over that of the environment file.
Layout layout_of(const Arguments& a, const Presets& presets) {
  auto layout = parse_arguments(a.keys, a.library);
  if (a.environment.empty()) return layout;
  const auto env = io::read_environment(a.environment, presets, layout.library);
  if (!env.ignored.empty())
    fmt::print(stderr, "qpcast: {}: ignored, no meaning to a forecast: {}\n", a.environment,
               fmt::join(env.ignored, ", "));
  for (const auto& f : fields()) {
    if (!env.layout.has(f.key)) continue;
    if (layout.has(f.key) && layout.text(f.key) != env.layout.text(f.key))
      throw InputError{a.environment, std::string{f.name},
                       fmt::format("set to {}, but to {} on the command line",
                                   env.layout.text(f.key), layout.text(f.key))};
    layout.set(f.key, env.layout.number(f.key, 0));
  }
  layout.library = env.layout.library;
  layout.check(a.environment);
  return layout;
}

void print_simulation(const SimulationReport& s) {
  Table table{{"<latency, us", "count", "mean", "p50", "p99", "p99.9"}};
  const auto row = [&](const char* name, const SimulatedLatency& l) {
    if (l.count == 0) return;
    table.row({name, fmt::format("{}", l.count), number(l.mean), number(l.p50), number(l.p99),
               number(l.p999)});
  };
  row("message", s.latency);
  row("probe round trip", s.probe);
  fmt::print("\n{}", table.text());
  fmt::print("{} messages over {} us, the first {} discarded as warm-up; seed {}\n", s.messages,
             number(s.simulated_us), s.warm_up, s.seed);
  fmt::print("stopped {}: rate +- {:.2g} % (95 %), sought {:.2g} % or {} messages\n",
             s.converged ? "by the interval" : "by the budget", 100 * s.half_width, 100 * s.sought,
             s.budget);
}

void print_table(const Prediction& p, const std::string& platform, const Layout& layout) {
  fmt::print("{} on {}{}, {} solver\n\n", layout.to_string(), platform,
             p.emulated ? " (emulated)" : "", p.solver);
  Table table{{"<metric", "value", p.simulation ? "sampled lo" : "90 % lo", "hi", "<unit"}};
  for (const auto& m : p.metrics)
    table.row({std::string{metric_name(m.metric)}, number(m.estimate.value), number(m.estimate.lo),
               number(m.estimate.hi), std::string{metric_unit(m.metric)}});
  fmt::print("{}", table.text());
  fmt::print("\nbottleneck: {}\n", bold(p.bottleneck));
  for (const auto& s : p.stations)
    fmt::print("  {:<18} {:5.1f} % busy\n", s.name, 100 * s.utilisation);
  if (p.simulation) print_simulation(*p.simulation);
  for (const auto& w : p.warnings) fmt::print("warning: {}\n", w);
}

void print_csv(const Prediction& p) {
  fmt::print("metric,value,lo,hi,unit\n");
  for (const auto& m : p.metrics)
    fmt::print("{},{},{},{},{}\n", metric_name(m.metric), m.estimate.value, m.estimate.lo,
               m.estimate.hi, metric_unit(m.metric));
}

void print_report(const WorkloadReport& r) {
  fmt::print("{} ({}), {} ranks, on {} with fabric {}; each rank: {}\n\n", r.workload, r.pattern,
             r.ranks, r.platform, r.fabric, r.layout.to_string());
  Table table{{"<over the ranks", "min", "p50", "mean", "p99", "max", "<unit"}};
  const auto row = [&](const char* name, const Spread& s, const char* unit) {
    table.row({name, number(s.least), number(s.p50), number(s.mean), number(s.p99), number(s.most),
               unit});
  };
  row("issue end", r.issue_end, "us");
  row("last arrival", r.last_arrival, "us");
  row("completed", r.completed, "us");
  row("NIC message rate", r.nic_rate, "Mmsg/s");
  fmt::print("{}", table.text());
  fmt::print("\n{} messages of {} B in {} doorbells, {} context misses; seed {}\n", r.messages,
             number(r.payload.count()), r.doorbells, r.cache_misses, r.seed);
  fmt::print("call to arrival, us: mean {}, p50 {}, p99 {}, p99.9 {}\n", number(r.latency.mean),
             number(r.latency.p50), number(r.latency.p99), number(r.latency.p999));
  fmt::print("ends after {} us, at rank {}; busiest:\n", bold(number(r.duration)), r.slowest);
  for (const auto& s : r.busiest)
    fmt::print("  {:<26} {:5.1f} % busy\n", s.name, 100 * s.utilisation);
  for (const auto& w : r.warnings) fmt::print("warning: {}\n", w);
}

void run_workload(const Arguments& a, const Platform& platform, const Presets& presets,
                  const Layout& layout) {
  if (!a.solver.simulated())
    throw InputError{command_line, "--workload",
                     "only --solver simgrid plays a workload; the analytic one has no fabric"};
  if (a.csv) throw InputError{command_line, "--csv", "a workload is reported as text or --json"};
  const auto workload = io::read_workload(a.workload);
  const auto fabric = a.fabric.empty() ? Fabric{} : io::read_fabric(a.fabric);
  const auto& library = layout.library.empty() ? workload.defaults.library : layout.library;
  const auto report = WorkloadSolver{platform, a.solver.simulation}.predict(
      workload, fabric, layout, find_preset(presets, library, a.workload),
      a.flows ? simgrid::Wire::flows : simgrid::Wire::stations);
  if (a.json)
    fmt::print("{}\n", io::to_json(report).dump(1));
  else
    print_report(report);
}

void run(const Arguments& a) {
  const auto platform = load_platform(a.platform);
  const auto presets = load_presets();
  const auto layout = layout_of(a, presets);
  if (!a.workload.empty()) return run_workload(a, platform, presets, layout);
  if (!a.fabric.empty() || a.flows)
    throw InputError{command_line, a.fabric.empty() ? "--flows" : "--fabric",
                     "only a --workload crosses a fabric"};
  const auto* preset = find_preset(presets, layout.library, command_line);
  const auto prediction = make_forecaster(a.solver, platform)(layout, preset);
  if (a.json)
    fmt::print("{}\n", io::to_json(prediction, platform.name, layout).dump(1));
  else if (a.csv)
    print_csv(prediction);
  else
    print_table(prediction, platform.name, layout);
}

}  // namespace

void add_predict(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("predict", "Forecast one layout");
  const auto a = std::make_shared<Arguments>();
  sub->add_option("--platform", a->platform, "Platform name or .json file")->required();
  sub->add_option("--library", a->library, "Library preset (scenarios/libraries)");
  sub->add_option("--env", a->environment,
                  "File of NAME=VALUE settings of NVSHMEM, NCCL or DeepEP");
  add_solver(*sub, a->solver, true);
  sub->add_option("--workload", a->workload,
                  "simgrid: workload file, or its name in scenarios/workloads");
  sub->add_option(
      "--fabric", a->fabric,
      "With --workload: fabric file, or its name in scenarios/fabrics; default one switch");
  sub->add_flag("--flows", a->flows,
                "With --workload: links share max-min fairly (SimGrid flows) instead of FIFO");
  auto* json = sub->add_flag("--json", a->json, "JSON instead of a table");
  sub->add_flag("--csv", a->csv, "CSV instead of a table")->excludes(json);
  sub->add_option("key=value", a->keys, "The layout; the vocabulary is below");
  std::string vocabulary = "Vocabulary:\n";
  for (const auto& f : fields())
    vocabulary += fmt::format("  {:<20} {}{}\n", f.name, f.meaning,
                              f.choices.empty() ? fmt::format(" ({}..{}{}{})", f.lowest, f.highest,
                                                              f.unit.empty() ? "" : " ", f.unit)
                                                : fmt::format(": {}", fmt::join(f.choices, ", ")));
  sub->footer(
      "Examples:\n  qpcast predict --platform P-IB --library nvshmem-ibgda qps=4 threads=256 "
      "payload=8\n"
      "  qpcast predict --platform P-IB --library mini-proxy workers=4 rings=32 batch=16 --json\n"
      "  qpcast predict --platform P-IB --env job.env threads=1024\n"
      "  qpcast predict --platform P-IB --solver simgrid --trace t.json threads=64 qps=8\n"
      "  qpcast predict --platform P-IB --solver simgrid --workload moe-dispatch --fabric "
      "fat-tree-2to1"
      " ranks=32\n\n" +
      vocabulary);
  sub->callback([a] { run(*a); });
}

}  // namespace qpcast::cli
