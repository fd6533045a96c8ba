#include "model/analytic/closed_network.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast {

namespace {

struct Demand {
  double service = 0;  ///< us per message
  double servers = 1;
};
using Demands = std::array<Demand, resource_count>;

Demands demands_of(const Pipeline& pipeline) {
  Demands demands;
  for (std::size_t k = 0; k < resource_count; ++k) {
    const auto resource = static_cast<Resource>(k);
    demands.at(k) = {pipeline.service(resource).us(), pipeline.station(resource).servers};
  }
  return demands;
}

double upper_bound(const Demands& demands) {
  double bound = 1e12;  // nothing on this machine is faster than one message per attosecond
  for (const auto& d : demands)
    if (d.service > 0) bound = std::min(bound, d.servers / d.service);
  return bound;
}

/// One Schweitzer step: residence times at the queue lengths that rate x implies.
double residence(const Demands& demands, std::array<double, resource_count>& queue, double n,
                 double x) {
  double total = 0;
  for (std::size_t k = 0; k < resource_count; ++k) {
    const auto& d = demands.at(k);
    if (d.service <= 0) continue;
    const double queued = d.service / d.servers * (1 + queue.at(k) * (n - 1) / n);
    queue.at(k) = x * queued;
    total += queued + d.service * (d.servers - 1) / d.servers;
  }
  return total;
}

double mean_value(const Pipeline& pipeline, const Demands& demands, double bound) {
  const double n = pipeline.population;
  const double engine = demands.at(static_cast<std::size_t>(Resource::engine)).service;
  const double think = (pipeline.total(Phase::transit) + pipeline.total(Phase::acknowledge) +
                        pipeline.total(Phase::complete)).us();
  std::array<double, resource_count> queue{};
  double x = std::min(bound, n / (think + 1e-12));
  for (int i = 0; i < 200; ++i) {
    const double loaded = pipeline.load_delay.us() * std::min(1.0, x * engine);
    const double next = std::min(bound, n / (think + loaded + residence(demands, queue, n, x)));
    const double change = std::abs(next - x) / next;
    x = 0.5 * (x + next);  // damped: plain iteration oscillates at a saturated station
    if (change < 1e-9) break;
  }
  return x;
}

}  // namespace

Throughputs solve_throughput(const Pipeline& pipeline) {
  const auto demands = demands_of(pipeline);
  const double bound = upper_bound(demands);
  const double x = std::isinf(pipeline.population) ? bound : mean_value(pipeline, demands, bound);
  Throughputs result{Rate::mmsg_per_s(x), {}, Resource::submitter};
  double highest = -1;
  for (std::size_t k = 0; k < resource_count; ++k) {
    const auto& d = demands.at(k);
    result.utilisation.at(k) = x * d.service / d.servers;
    if (result.utilisation.at(k) > highest) {
      highest = result.utilisation.at(k);
      result.bottleneck = static_cast<Resource>(k);
    }
  }
  return result;
}

}  // namespace qpcast
