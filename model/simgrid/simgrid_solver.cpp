#include "model/simgrid/simgrid_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"
#include "model/simgrid/process.hpp"
#include "model/simgrid/summary.hpp"
#include "model/validity.hpp"

namespace qpcast {

using simgrid::Scenario;
using simgrid::SimulationResult;

namespace {

void check(const SimulationOptions& o) {
  const auto refuse = [](const char* key, const char* advice) {
    throw InputError{"simulation options", key, advice};
  };
  if (o.messages < 1000) refuse("messages", "too few; at least 1000");
  if (!(o.half_width >= 0)) refuse("half_width", "a fraction of the rate, 0 or more");
  if (!(o.warm_up >= 0 && o.warm_up <= 0.9)) refuse("warm_up", "a fraction of the budget, 0..0.9");
  if (o.send_queue == 0)
    refuse("send_queue", "a queue pair of no WQEs carries nothing; at least 1");
  if (o.ring == 0) refuse("ring", "a ring of no descriptors carries nothing; at least 1");
  if (!(o.lane_jitter >= 0 && o.lane_jitter <= 1)) refuse("lane_jitter", "a ratio, 0..1");
}

Estimate of_rate(const SimulationResult& r, double factor) {
  const double v = r.rate * factor;
  const double w = std::isfinite(r.half_width) ? r.half_width : 1;
  return {v, v * (1 - w), v * (1 + w)};
}

Estimate of_times(const simgrid::Histogram& h) {
  const double mean = h.mean();  // exact; quantiles are centres of buckets
  return {mean, std::min(mean, h.quantile(0.05)), std::max(mean, h.quantile(0.95))};
}

/// Read from the histogram, whose buckets are 1.1 % wide.
Estimate of_quantile(const simgrid::Histogram& h, double q) {
  const double v = h.quantile(q);
  return {v, v, v};
}

Estimate exactly(double v) { return {v, v, v}; }

double combine(Statistic statistic, double config, double baseline) {
  if (statistic == Statistic::ratio) return config / baseline;
  return statistic == Statistic::delta ? config - baseline : config;
}

}  // namespace

SimgridSolver::SimgridSolver(const Platform& platform, const SimulationOptions& options)
    : facts_{platform.facts}, values_{platform}, options_{options}, emulated_{platform.emulated} {
  check(options);
}

SimulationResult SimgridSolver::run(const Setup& setup, Scenario scenario) {
  const auto scene = simgrid::make_scene(setup, values_, options_);
  const auto result =
      simgrid::run_in_process([&] { return simgrid::simulate(scene, options_, scenario); });
  if (setup.background_ctas > 0 && result.probe.count() == 0)
    throw InputError{"simulation", "messages",
                     fmt::format("no round trip of the probe ended within {} messages; allow more",
                                 options_.messages)};
  return result;
}

SimulationResult SimgridSolver::simulate(const Proposal& p, Scenario scenario) {
  return run(resolve(p.layout, p.preset, facts_, values_), scenario);
}

Prediction SimgridSolver::predict(const Layout& layout, const LibraryPreset* preset) {
  if (const auto reason = not_modelled(Metric::rate, layout); !reason.empty())
    throw InputError{"layout", "", std::string{reason}};
  const auto setup = resolve(layout, preset, facts_, values_);
  const bool loaded = setup.background_ctas > 0;
  const auto traffic = run(setup, Scenario::traffic);
  const auto lone = loaded ? traffic : run(setup, Scenario::lone);
  Prediction p;
  p.solver = "simgrid";
  p.emulated = emulated_;
  p.metrics = {{Metric::issue, exactly(lone.issue)},
               {Metric::doorbell_to_cqe, exactly(lone.doorbell_to_cqe)},
               {Metric::put_completion, exactly(lone.put_completion)},
               {Metric::rtt, of_times(lone.probe)},
               {Metric::rtt_p99, of_quantile(lone.probe, 0.99)},
               {loaded ? Metric::carried_rate : Metric::rate, of_rate(traffic, 1)},
               {Metric::goodput, of_rate(traffic, setup.payload.count() * 1e-3)}};
  double highest = 0;
  for (std::size_t k = 0; k < resource_count; ++k) {
    const double busy = traffic.utilisation.at(k);
    const auto* const name = resource_name(static_cast<Resource>(k));
    if (busy > 0) p.stations.push_back({name, busy});
    if (busy > highest) p.bottleneck = name;
    highest = std::max(highest, busy);
  }
  SimulationReport report;
  report.seed = options_.seed;
  report.budget = options_.messages;
  report.sought = options_.half_width;
  report.messages = traffic.messages;
  report.warm_up =
      static_cast<std::uint64_t>(static_cast<double>(options_.messages) * options_.warm_up);
  report.half_width = traffic.half_width;
  report.converged = traffic.converged;
  report.simulated_us = traffic.simulated_us;
  report.latency = simgrid::summary(traffic.latency);
  report.probe = simgrid::summary(lone.probe);
  p.simulation = std::move(report);
  if (!traffic.converged && options_.half_width > 0)
    p.warnings.push_back(fmt::format("the rate is known to +- {:.1f} % only; raise --messages",
                                     100 * traffic.half_width));
  constexpr std::uint64_t few = 100;  // of which the 99th percentile is the largest but one
  if (lone.probe.count() < few)
    p.warnings.push_back(fmt::format("rtt_p99 is that of {} round trips; raise --messages for more",
                                     lone.probe.count()));
  add_range_warnings(setup, p.warnings);
  return p;
}

double SimgridSolver::payload_knee(const Setup& setup) {
  const double mtu = setup.facts->mtu;
  const double full = values_.get(Param::wire_line_rate) * mtu / (mtu + setup.facts->header);
  std::vector<double> grid;
  for (double b = 1; b <= 4096; b *= 2) grid.push_back(b);
  for (double b = 5120; b <= 65536; b += 1024) grid.push_back(b);
  const auto enough = [&](double payload) {
    auto sized = setup;
    sized.payload = Bytes{payload};
    sized.inlined = sized.inlined && payload <= 32;
    return run(sized, Scenario::traffic).rate * payload * 1e-3 >= 0.9 * full;
  };
  const auto at =
      std::partition_point(grid.begin(), grid.end(), [&](double b) { return !enough(b); });
  return at == grid.end() ? std::nan("") : *at;
}

/// The fewest connections whose contexts do not all stay in a warm cache, to 1 %.
double SimgridSolver::onset(Setup setup) {
  const auto misses = [&](double connections) {
    setup.active_qps = setup.qps = setup.configured_qps = std::round(connections);
    return run(setup, Scenario::traffic).misses > 0;
  };
  double lo = 1, hi = 65536;
  while (hi > 1.01 * lo) {
    const double middle = std::sqrt(lo * hi);
    (misses(middle) ? hi : lo) = middle;
  }
  return std::round(hi);
}

Estimate SimgridSolver::estimate(Metric metric, const Setup& setup) {
  const bool loaded = setup.background_ctas > 0;
  const auto probe = [&](const Setup& s) {
    return run(s, loaded ? Scenario::traffic : Scenario::lone);
  };
  const auto clocked = [&](auto time) {
    auto unclocked = setup;
    unclocked.clock_mhz = 1e12;
    const double whole = time(probe(setup));
    return std::pair{whole - time(probe(unclocked)), whole};
  };
  const auto issue = [](const SimulationResult& r) { return r.issue; };
  const auto put = [](const SimulationResult& r) { return r.put_completion; };
  switch (metric) {
    case Metric::rate:
    case Metric::carried_rate:
      return of_rate(run(setup, Scenario::traffic), 1);
    case Metric::goodput:
      return of_rate(run(setup, Scenario::traffic), setup.payload.count() * 1e-3);
    case Metric::issue:
      return exactly(probe(setup).issue);
    case Metric::doorbell_to_cqe:
      return exactly(probe(setup).doorbell_to_cqe);
    case Metric::put_completion:
      return exactly(probe(setup).put_completion);
    case Metric::rtt:
      return of_times(probe(setup).probe);
    case Metric::rtt_p99:
      return of_quantile(probe(setup).probe, 0.99);
    case Metric::payload_at_90pct_line_rate:
      return exactly(payload_knee(setup));
    case Metric::onset_active_qps:
      return exactly(onset(setup));
    case Metric::issue_clock_share: {
      const auto [cycles, whole] = clocked(issue);
      return exactly(cycles / whole);
    }
    case Metric::put_completion_clock_share: {
      const auto [cycles, whole] = clocked(put);
      return exactly(cycles / whole);
    }
    case Metric::issue_clock_cycles:
      return exactly(clocked(issue).first * setup.clock_mhz);
    default:
      return exactly(std::nan(""));
  }
}

Answer SimgridSolver::answer(const Question& q) {
  Answer result;
  result.mechanism = "simulation";
  result.reason = not_modelled(q.metric, q.config.layout);
  if (!result.modelled()) return result;
  const auto config = resolve(q.config.layout, q.config.preset, facts_, values_);
  result.estimate = estimate(q.metric, config);
  if (q.statistic != Statistic::value) {
    const auto base =
        estimate(q.metric, resolve(q.baseline.layout, q.baseline.preset, facts_, values_));
    const auto c = result.estimate;
    const double a = combine(q.statistic, c.lo, base.hi), b = combine(q.statistic, c.hi, base.lo);
    result.estimate = {combine(q.statistic, c.value, base.value), std::min(a, b), std::max(a, b)};
  }
  add_range_warnings(config, result.warnings);
  return result;
}

}  // namespace qpcast
