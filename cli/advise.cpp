#include "model/advise/advise.hpp"

#include <fmt/format.h>

#include "cli/context.hpp"
#include "cli/terminal.hpp"
#include "model/error.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "model/sweep.hpp"
#include "scenarios/io/advice.hpp"

namespace qpcast::cli {

namespace {

using advise::Advice;
using advise::Candidate;

struct Arguments {
  std::string platform, library, goal;
  std::vector<std::string> keys;
  advise::Request request;
  advise::Options options;
  SimulationOptions simulation;
  bool json = false;
};

/// `key=value` fixes a key, `key=a,b` or `key=1..8` confines the search of a setting.
void parse_keys(Arguments& a) {
  std::vector<std::string> fixed;
  for (const auto& item : a.keys) {
    const auto equals = item.find('=');
    const auto name = item.substr(0, equals);
    const auto expression = equals == std::string::npos ? "" : item.substr(equals + 1);
    const auto key = find_key(name);
    if (!key || expression.find_first_of(",.") == std::string::npos) {
      fixed.push_back(item);
      continue;
    }
    for (const auto& text : expand_values(name, expression, command_line)) {
      Layout one;
      one.parse(name, text, command_line);
      a.request.limits[*key].push_back(one.number(*key, 0));
    }
  }
  a.request.fixed = parse_arguments(fixed, a.library);
  for (const auto& [key, values] : a.request.limits)
    if (a.request.fixed.has(key))
      throw InputError{command_line, std::string{field(key).name}, "fixed and searched"};
}

advise::Simulate simulator(const Arguments& a, const Platform& platform,
                           const LibraryPreset& preset) {
  const auto solver = std::make_shared<SimgridSolver>(platform, a.simulation);
  const bool loaded = a.request.fixed.number(Key::background_ctas, 0) > 0;
  return [=, &preset, goal = a.request.goal](const Layout& layout) {
    const auto p = solver->predict(layout, &preset);
    const auto value = [&](advise::Goal g) { return p.find(advise::metric_of(g, loaded))->value; };
    return advise::Simulated{value(goal), value(advise::Goal::latency), value(advise::Goal::rate)};
  };
}

/// What a library reaches if the advice is taken, by the more cautious solver; more is better.
double reach(const Advice& a) {
  if (a.verdict == advise::Verdict::none) return 0;
  const auto& c = a.verdict == advise::Verdict::change ? a.candidates.front() : a.base;
  const bool latency = a.metric == Metric::rtt || a.metric == Metric::put_completion;
  return latency ? 1 / std::max(c.predicted.value, c.simulated.goal)
                 : std::min(c.predicted.value, c.simulated.goal);
}

void print_settings(const Advice& a, const Presets& presets) {
  Table table{{"<setting", "<value", "<default", "<how", "<"}};
  for (const auto& s : io::settings_of(a.candidates.front(), a.library, presets))
    table.row({s.name, bold(s.value), s.base, s.how, s.meaning});
  fmt::print("{}\n", table.text());
}

std::string changes_of(const Candidate& c) {
  std::string out;
  for (const auto& s : c.changes)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", s.name, s.value);
  return out;
}

void print_candidates(const Advice& a) {
  const std::string metric{metric_name(a.metric)}, unit{metric_unit(a.metric)};
  Table table{{"<" + metric + ", " + unit, "analytic", "90 % lo", "hi", "simulated", "gain",
               "90 % lo", "hi", "simulated", "worse in", "QPs", "<"}};
  const auto row = [&](const std::string& name, const Candidate& c, bool compared) {
    const auto times = [&](double v) { return compared ? fmt::format("x{:.3g}", v) : ""; };
    table.row({name, number(c.predicted.value), number(c.predicted.lo), number(c.predicted.hi),
               number(c.simulated.goal), times(c.gain.value), times(c.gain.lo), times(c.gain.hi),
               times(c.simulated_gain),
               compared ? fmt::format("{:.1f} %", 100 * c.worse_share) : "", number(c.queue_pairs),
               c.dropped.empty() ? "" : "dropped: " + c.dropped});
  };
  row("default", a.base, false);
  for (const auto& c : a.candidates) row(changes_of(c), c, true);
  fmt::print("{}", table.text());
}

void print_search(const Advice& a) {
  fmt::print("\n{} layouts in the space:", a.space);
  for (const auto& axis : a.axes)
    fmt::print(" {} {}{}{} ({})", axis.name, axis.spelling(axis.values.front()),
               axis.values.size() > 1 ? ".." : "",
               axis.values.size() > 1 ? axis.spelling(axis.values.back()) : "", axis.values.size());
  fmt::print("\n{} evaluations, {} boxes bounded{}{}\n", a.searched.evaluated, a.searched.bounded,
             a.searched.bounded == 0
                 ? ""
                 : "; the rest lies in boxes whose bound is below what was found, "
                   "farther from the default, or breaks a constraint",
             a.searched.complete ? "" : " (the budget of boxes ran out: a better one may exist)");
  if (a.best > 0)
    fmt::print("best of the space: {} {}; gains over {} draws of the parameters, seed {}\n",
               number(a.best), metric_unit(a.metric), a.draws, a.seed);
}

void print_advice(const Advice& a, const Platform& platform, const Presets& presets) {
  const bool change = a.verdict == advise::Verdict::change;
  fmt::print("{} on {}{}: {}{}{}\n\n", a.library, platform.name,
             platform.emulated ? " (emulated)" : "",
             bold(change                               ? "change"
                  : a.verdict == advise::Verdict::keep ? "keep the default"
                                                       : "nothing to recommend"),
             a.reason.empty() ? "" : ": ", a.reason);
  if (change) print_settings(a, presets);
  print_candidates(a);
  print_search(a);
  if (!a.base_refused.empty())
    fmt::print("warning: the default breaks a constraint: {}\n", a.base_refused);
  const auto& told = change ? a.candidates.front() : a.base;
  for (const auto& w : told.warnings) fmt::print("warning: {}\n", w);
}

void print_libraries(const std::vector<Advice>& advices) {
  const auto& first = advices.front();
  Table table{{fmt::format("<library, {} {}", metric_name(first.metric), metric_unit(first.metric)),
               "default", "advised", "simulated", "gain", "worse in", "<"}};
  for (const auto& a : advices) {
    const bool change = a.verdict == advise::Verdict::change;
    const auto& c = change ? a.candidates.front() : a.base;
    table.row({a.library, number(a.base.predicted.value), change ? number(c.predicted.value) : "-",
               number(c.simulated.goal), change ? fmt::format("x{:.3g}", c.gain.value) : "-",
               change ? fmt::format("{:.1f} %", 100 * c.worse_share) : "-",
               change ? changes_of(c) : a.reason});
  }
  fmt::print("{}\n", table.text());
}

/// 1, with a line that says why, where not even the best advice keeps the constraints.
Exit status_of(const std::vector<Advice>& best_first) {
  const auto& best = best_first.front();
  if (best.verdict != advise::Verdict::none) return ok;
  fmt::print(stderr, "qpcast: advise: {}{}: {}\n",
             best_first.size() > 1 ? "no library keeps the constraints; " : "", best.library,
             best.reason);
  return no_advice;
}

int run(Arguments a) {
  static const std::map<std::string, advise::Goal> goals{{"rate", advise::Goal::rate},
                                                         {"latency", advise::Goal::latency},
                                                         {"goodput", advise::Goal::goodput}};
  a.request.goal = goals.at(a.goal);
  parse_keys(a);
  const auto platform = load_platform(a.platform);
  const auto presets = load_presets();
  const auto& named = a.request.fixed.library;
  find_preset(presets, named, command_line);
  if (named.empty()) require_launch(a.request);
  std::vector<Advice> advices;
  std::vector<std::pair<std::string, std::string>> skipped;
  Progress progress{"advise"};
  std::size_t done = 0;
  a.options.search.progress = [&] {
    progress.update(static_cast<double>(done) / static_cast<double>(presets.size()));
  };
  for (const auto& [name, preset] : presets) {
    ++done;
    if (named.empty() ? preset.benchmark : name != named) continue;
    try {
      advices.push_back(
          advise::advise(platform, preset, a.request, simulator(a, platform, preset), a.options));
    } catch (const InputError& e) {
      if (!named.empty()) throw;
      skipped.emplace_back(name, e.what());
    }
  }
  if (advices.empty()) throw InputError{command_line, "--library", skipped.front().second};
  std::stable_sort(advices.begin(), advices.end(),
                   [](const Advice& x, const Advice& y) { return reach(x) > reach(y); });
  if (a.json) {
    fmt::print("{}\n", io::to_json(advices, skipped, platform, presets).dump(1));
    return status_of(advices);
  }
  if (named.empty()) print_libraries(advices);
  print_advice(advices.front(), platform, presets);
  for (const auto& [library, reason] : skipped)
    fmt::print("not considered: {}: {}\n", library, reason);
  return status_of(advices);
}

void add_constraints(CLI::App& sub, advise::Request& r) {
  const auto positive = CLI::Range(1e-9, 1e12);
  const auto count = CLI::Range(1, 1 << 20);
  sub.add_option("--pes", r.pes, "Processing elements; everybody talks to everybody")
      ->check(CLI::Range(2, 1 << 16))
      ->capture_default_str();
  sub.add_option("--threads", r.threads, "GPU threads available to submit: searched up to this")
      ->check(CLI::Range(1, 16384));
  sub.add_option("--sms", r.sms, "SMs available to them: searched up to this")
      ->check(CLI::Range(1, 1024));
  auto& c = r.constraints;
  sub.add_option("--qp-budget", c.queue_pairs, "Queue pairs of a PE, in total, at most")
      ->check(count);
  sub.add_option("--cores", c.cores, "CPU cores for proxy workers, at most")->check(count);
  sub.add_option("--max-latency", c.max_latency,
                 "us a put may take to complete, or a probe's round trip beside bulk traffic")
      ->check(positive)
      ->check(a_number());
  sub.add_option("--min-rate", c.min_rate, "Mmsg/s at least")->check(positive)->check(a_number());
  sub.add_flag("--isolate", c.isolate, "The probe has a queue of its own (with background_ctas)");
}

}  // namespace

void add_advise(CLI::App& app, int& status) {
  auto* sub = app.add_subcommand("advise", "Which settings to change for a goal, and how sure");
  const auto a = std::make_shared<Arguments>();
  a->simulation.messages = 200'000;
  a->simulation.half_width = 0.01;
  sub->add_option("--platform", a->platform, "Platform name or .json file")->required();
  sub->add_option("--goal", a->goal, "What to improve: rate, latency or goodput")
      ->required()
      ->check(CLI::IsMember({"rate", "latency", "goodput"}));
  sub->add_option("--library", a->library, "Library preset; without it, every library");
  add_constraints(*sub, a->request);
  sub->add_option("--draws", a->options.draws, "Draws of the parameters for gains and risk")
      ->check(CLI::Range(10, 1'000'000))
      ->capture_default_str();
  sub->add_option("--seed", a->options.seed, "Same seed, same advice")->capture_default_str();
  sub->add_option("--messages", a->simulation.messages, "Messages a simulation carries at most")
      ->check(CLI::Range(1e3, 1e12))
      ->capture_default_str();
  sub->add_flag("--exhaustive", a->options.search.exhaustive,
                "Evaluate every layout instead of skipping boxes by their bound");
  sub->add_flag("--json", a->json, "JSON instead of tables");
  sub->add_option("key=value", a->keys,
                  "What is fixed (the work, the launch), or key=a,b or key=1..8 to confine a "
                  "setting's search");
  sub->footer(
      "Exit status 1 when no layout keeps the constraints; the line on stderr names the one that "
      "none can.\n"
      "Examples:\n  qpcast advise --platform P-IB --library nvshmem-ibgda --goal rate "
      "threads=1024 sms=64 payload=8\n"
      "  qpcast advise --platform P-IB --goal latency --isolate background_ctas=64 threads=512 "
      "sms=64\n"
      "  qpcast advise --platform P-H100 --library deepep-v1 --goal rate --pes 32 --qp-budget 512 "
      "submitter=cpu-assisted --threads 1024 --max-latency 40");
  sub->callback([a, &status] {
    a->simulation.seed = a->options.seed;
    status = run(*a);
  });
}

}  // namespace qpcast::cli
