#include "model/simgrid/workload_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"
#include "model/mechanisms/wire.hpp"
#include "model/simgrid/process.hpp"
#include "model/simgrid/summary.hpp"
#include "model/validity.hpp"

namespace qpcast {

namespace {

/// Keys that say what is sent, not how; the workload has read them.
constexpr std::array of_the_workload{Key::workload, Key::ranks,   Key::gpus_per_node,
                                     Key::tokens,   Key::hidden,  Key::experts,
                                     Key::topk,     Key::contexts};

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double v : values) sum += v;
  const auto n = static_cast<double>(values.size());
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(std::max(0.0, std::ceil(q * n) - 1))];
  };
  return {values.front(), at(0.5), sum / n, at(0.99), values.back()};
}

std::vector<RankReport> rank_reports(const simgrid::ExchangeResult& result) {
  std::vector<RankReport> out;
  for (const auto& t : result.ranks) {
    const double rate = t.sending > 0 ? static_cast<double>(t.sent) / t.sending : 0;
    out.push_back({static_cast<std::uint32_t>(out.size()), t.queue_pairs, t.sent, t.received,
                   t.issue_end, t.last_arrival, t.completed, rate});
  }
  return out;
}

void fill_spreads(WorkloadReport& r) {
  std::vector<double> issue, completed, arrival, rate;
  for (const auto& rank : r.per_rank) {
    r.messages += rank.sent;
    if (rank.sent > 0) {
      issue.push_back(rank.issue_end);
      completed.push_back(rank.completed);
      rate.push_back(rank.nic_rate);
    }
    if (rank.received > 0) arrival.push_back(rank.last_arrival);
    if (rank.last_arrival > r.duration) r.slowest = rank.rank;
    r.duration = std::max(r.duration, rank.last_arrival);
  }
  r.issue_end = spread_of(issue);
  r.completed = spread_of(completed);
  r.last_arrival = spread_of(arrival);
  r.nic_rate = spread_of(rate);
}

void fill_loads(const simgrid::ExchangeResult& result, WorkloadReport& r) {
  double engine = 0;
  for (const auto& t : result.ranks) engine = std::max(engine, t.engine_busy);
  r.busiest = {{"submitters (slowest rank)", r.issue_end.most / r.duration},
               {"NIC engine (busiest)", engine / r.duration}};
  for (const auto& link : result.links) r.busiest.push_back({link.name, link.busy / r.duration});
  std::stable_sort(r.busiest.begin(), r.busiest.end(),
                   [](const auto& a, const auto& b) { return a.utilisation > b.utilisation; });
}

/// A workload file's layout says how messages are submitted, never which.
bool decided(Key key, const WorkloadSpec& w) {
  constexpr std::array keys{Key::role, Key::active_qps,      Key::pes, Key::background_ctas,
                            Key::qps,  Key::writes_per_visit};
  const auto in = [&](const auto& list) {
    return std::find(list.begin(), list.end(), key) != list.end();
  };
  return in(keys) || in(of_the_workload) || (w.moe() && key == Key::payload);
}

/// Keys that the workload decides, or that its pattern does not have.
void refuse_contradictions(const WorkloadSpec& w, const Layout& layout) {
  const auto refuse = [&](Key key, const std::string& advice) {
    if (layout.has(key)) throw InputError{w.name, std::string{field(key).name}, advice};
  };
  for (const auto key : {Key::role, Key::active_qps, Key::pes, Key::contexts, Key::background_ctas})
    refuse(key, "the workload decides it; leave it out");
  for (const auto& f : fields())
    if (w.defaults.has(f.key) && decided(f.key, w))
      throw InputError{w.name, fmt::format("layout.{}", f.name),
                       "the workload decides it; use the file's own member, or leave it out"};
  if (w.moe())
    refuse(Key::payload, fmt::format("a token's message is {:.0f} B here; change hidden or dtype",
                                     token_message(w).count()));
  else
    for (const auto key : {Key::tokens, Key::hidden, Key::experts, Key::topk})
      refuse(key,
             fmt::format("only an MoE workload has it; this one is {}", pattern_name(w.pattern)));
  if (layout.has(Key::workload) && layout.text(Key::workload) != pattern_name(w.pattern))
    refuse(Key::workload, fmt::format("{} contradicts the file's pattern {}",
                                      layout.text(Key::workload), pattern_name(w.pattern)));
}

void check_progress(const simgrid::Scene& scene) {
  if (!scene.gpu || scene.batch <= scene.send_queue) return;
  throw InputError{"workload", "batch",
                   fmt::format("a thread waits for {} free slots before it rings, but its queue "
                               "pair holds queue_depth={}; a batch of at most that many goes on",
                               scene.batch, scene.send_queue)};
}

/// What an exchange takes for granted, or plays otherwise than asked.
void add_exchange_warnings(const simgrid::Scene& s, std::vector<std::string>& warnings) {
  const auto p = s.setup.publication;
  if (s.section && (p == Publication::warp_synchronised || p == Publication::warp_drifting))
    warnings.emplace_back(
        "publication: an exchange hands slots on thread by thread; lanes that "
        "meet or drift are played for one NIC only");
  if (s.gpu && s.setup.saturating)
    warnings.push_back(
        fmt::format("threads: none named, so {} submit per rank, enough for any "
                    "NIC; the issue end depends on them",
                    s.streams));
}

}  // namespace

Layout submission(const WorkloadSpec& w, const Layout& layout, std::size_t queue_pairs) {
  auto l = w.defaults;
  if (!layout.library.empty()) l.library = layout.library;
  for (const auto& f : fields())
    if (layout.has(f.key)) l.set(f.key, layout.number(f.key, 0));
  for (const auto key : of_the_workload) l.clear(key);
  if (w.moe()) l.set(Key::payload, token_message(w).count());
  const auto visit = w.doorbell_every > 0 ? w.doorbell_every : w.messages;
  if (w.doorbell_every > 0 && !layout.has(Key::batch)) l.set(Key::batch, w.doorbell_every);
  l.set(Key::role, w.pattern == Pattern::incast ? Role::send : Role::all_to_all);
  l.set(Key::qps, static_cast<double>(queue_pairs));
  l.set(Key::active_qps, static_cast<double>(queue_pairs));
  l.set(Key::pes, w.ranks);
  l.set(Key::writes_per_visit, visit);
  return l;
}

WorkloadSolver::WorkloadSolver(const Platform& platform, const SimulationOptions& options)
    : platform_{platform}, values_{platform}, options_{options} {}

WorkloadReport WorkloadSolver::predict(const WorkloadSpec& asked, const Fabric& fabric,
                                       const Layout& layout, const LibraryPreset* preset,
                                       simgrid::Wire wire) {
  const auto workload = override_with(asked, layout);
  check(workload, workload.name);
  refuse_contradictions(workload, layout);
  check(fabric, workload.ranks, workload.gpus_per_node, fabric.name);
  const TrafficPlan plan{workload, options_.seed};
  std::size_t most = 1;
  for (std::uint32_t r = 0; r < workload.ranks; ++r) most = std::max(most, plan.queues(r).size());
  WorkloadReport report;
  report.layout = submission(workload, layout, most);
  report.layout.check(workload.name);
  const auto setup = resolve(report.layout, preset, platform_.facts, values_);
  auto scene = simgrid::make_scene(setup, values_, options_);
  check_progress(scene);
  const double bytes = wire::wire_bytes(setup).count();
  if (fabric.link_gbit_per_s)
    scene.wire = (Bytes{bytes} / Throughput::gbit_per_s(*fabric.link_gbit_per_s)).us();
  const double line = bytes / scene.wire;
  const auto result = simgrid::exchange_from_bytes(simgrid::bytes_from_process([&] {
    return simgrid::to_bytes(simgrid::simulate_exchange(
        scene, options_, fabric, workload.ranks, workload.gpus_per_node, line,
        [&](std::uint32_t rank) { return plan.queues(rank); }, wire));
  }));
  report.workload = workload.name;
  report.pattern = pattern_name(workload.pattern);
  report.fabric = fabric.name;
  report.platform = platform_.name;
  report.ranks = workload.ranks;
  report.doorbells = result.doorbells;
  report.cache_misses = result.misses;
  report.seed = options_.seed;
  report.payload = setup.payload;
  report.latency = simgrid::summary(result.latency);
  report.per_rank = rank_reports(result);
  fill_spreads(report);
  fill_loads(result, report);
  add_range_warnings(setup, report.warnings);
  add_exchange_warnings(scene, report.warnings);
  return report;
}

}  // namespace qpcast
