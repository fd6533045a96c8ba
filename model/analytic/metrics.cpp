#include "model/analytic/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "model/mechanisms/backlog.hpp"
#include "model/mechanisms/connection_cache.hpp"

namespace qpcast {

namespace {

Duration put_completion(const Pipeline& p) {
  return p.total(Phase::issue) + p.total(Phase::transit) + p.total(Phase::acknowledge) +
         p.total(Phase::complete);
}

Duration round_trip(const Solution& s) {
  const auto& p = s.pipeline;
  auto one_way = p.total(Phase::issue) + p.total(Phase::transit) + p.total(Phase::receive);
  if (p.loaded) {
    const double busy = s.throughput.utilisation.at(static_cast<std::size_t>(Resource::engine));
    const auto wait = backlog::wait(p, s.throughput.rate);
    if (p.backlog.one_way) return (one_way + p.load_delay * busy) * 2 + wait;
    one_way += p.load_delay * busy + wait;
  }
  return one_way * 2;
}

/// The part of a path time that scales with the SM clock, as a time at the setup's clock.
template <class PathTime>
Duration clocked_part(const Setup& setup, const ParameterValues& values, PathTime path_time) {
  auto unclocked = setup;
  unclocked.clock_mhz = 1e12;
  return path_time(build_pipeline(setup, values)) - path_time(build_pipeline(unclocked, values));
}

double goodput(const Setup& setup, const ParameterValues& values, Bytes payload) {
  auto sized = setup;
  sized.payload = payload;
  sized.inlined = sized.inlined && payload.count() <= 32;
  return (solve(sized, values).throughput.rate * payload).gb_per_s();
}

double payload_knee(const Setup& setup, const ParameterValues& values) {
  const double mtu = setup.facts->mtu;
  const double full = values.get(Param::wire_line_rate) * mtu / (mtu + setup.facts->header);
  constexpr double smallest = 1, largest = 1 << 26;
  double lo = std::log(smallest), hi = std::log(largest);
  while (hi - lo > 1e-5) {
    const double middle = 0.5 * (lo + hi);
    (goodput(setup, values, Bytes{std::exp(middle)}) >= 0.9 * full ? hi : lo) = middle;
  }
  return std::exp(hi);
}

bool enclosing_kernel(Metric metric) {
  return metric == Metric::throughput_loss || metric == Metric::throughput_kept;
}

bool workload_metric(Metric metric) {
  return metric == Metric::issue_end || metric == Metric::duration;
}

}  // namespace

Solution solve(const Setup& setup, const ParameterValues& values) {
  Solution s{build_pipeline(setup, values), {}};
  s.throughput = solve_throughput(s.pipeline);
  return s;
}

Solution solve(const Setup& setup, const ParameterValues& values, const Solution& near) {
  Solution s{build_pipeline(setup, values), {}};
  s.throughput = solve_throughput(s.pipeline, near.throughput.rate);
  return s;
}

std::string_view not_modelled(Metric metric, const Layout& layout) {
  if (enclosing_kernel(metric) || layout.has(Key::caller))
    return "the enclosing kernel's registers and residency have no mechanism yet";
  if (workload_metric(metric) || layout.has(Key::workload))
    return "MoE dispatch and combine need a fabric model, which does not exist yet";
  if (layout.number(Key::active_qps, 0) == sweep_value && metric != Metric::onset_active_qps)
    return "active_qps=sweep has only an onset; give a number of connections";
  return {};
}

double evaluate(Metric metric, const Setup& setup, const ParameterValues& values,
                const Solution& s) {
  const auto& p = s.pipeline;
  const auto issue = [](const Pipeline& q) { return q.total(Phase::issue); };
  switch (metric) {
    case Metric::issue:
      return issue(p).us();
    case Metric::doorbell_to_cqe:
      return (put_completion(p) - issue(p)).us();
    case Metric::put_completion:
      return put_completion(p).us();
    case Metric::rtt:
      return round_trip(s).us();
    case Metric::rtt_p99:
      return (round_trip(s) + p.tail).us();
    case Metric::rate:
    case Metric::carried_rate:
      return s.throughput.rate.mmsg_per_s();
    case Metric::goodput:
      return (s.throughput.rate * setup.payload).gb_per_s();
    case Metric::payload_at_90pct_line_rate:
      return payload_knee(setup, values);
    case Metric::onset_active_qps:
      return connection_cache::onset(setup, values);
    case Metric::issue_clock_share:
      return clocked_part(setup, values, issue) / issue(p);
    case Metric::put_completion_clock_share:
      return clocked_part(setup, values, put_completion) / put_completion(p);
    case Metric::issue_clock_cycles:
      return clocked_part(setup, values, issue).us() * setup.clock_mhz;
    default:
      return std::nan("");
  }
}

double reported(Metric metric, double value) {
  if (metric != Metric::payload_at_90pct_line_rate) return value;
  constexpr double dense_above = 4096, step = 1024;
  if (value > dense_above) return std::ceil(value / step) * step;
  return std::exp2(std::ceil(std::log2(value) - 1e-9));
}

}  // namespace qpcast
