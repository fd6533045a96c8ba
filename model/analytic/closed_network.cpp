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

/// X (Z + sum R_k) - N and its derivative in X. Chains of c messages are the customers: N / c of
/// them, of c times the service.
struct Balance {
  double value, slope;
};

class ClosedNetwork {
 public:
  ClosedNetwork(const Pipeline& pipeline, const Demands& demands)
      : demands_{demands},
        population_{pipeline.population},
        chain_{pipeline.chain},
        think_{(pipeline.total(Phase::transit) + pipeline.total(Phase::acknowledge) +
                pipeline.total(Phase::complete))
                   .us()},
        loaded_{pipeline.load_delay.us() *
                demands.at(static_cast<std::size_t>(Resource::engine)).service} {}

  Balance at(double x) const {
    Balance b{x * (think_ + loaded_ * x) - population_, think_ + 2 * loaded_ * x};
    const double others = (population_ - chain_) / population_;
    for (const auto& d : demands_) {
      if (d.service <= 0) continue;
      const double s = d.service / d.servers;
      const double room = 1 - x * s * others;
      const double elsewhere = s * (d.servers - 1);
      b.value += x * chain_ * (s / room + elsewhere);
      b.slope += chain_ * (s / (room * room) + elsewhere);
    }
    return b;
  }

  /// The root in (0, bound], or the bound when the network could carry more.
  double solve(double bound) const {
    double lo = 0, hi = bound;
    if (at(bound * (1 - 1e-12)).value <= 0) return bound;
    double x = std::min(0.9 * bound, unloaded());
    for (int i = 0; i < 100 && hi - lo > 1e-9 * hi; ++i) {
      const auto b = at(x);
      (b.value > 0 ? hi : lo) = x;
      const double newton = x - b.value / b.slope;
      if (std::abs(newton - x) <= 1e-9 * x) return newton;
      x = newton > lo && newton < hi ? newton : 0.5 * (lo + hi);
    }
    return x;
  }

  /// One Newton step from a rate near the root; solves in full where the step leaves (0, bound).
  double step(double near, double bound) const {
    if (near >= bound * (1 - 1e-9)) return solve(bound);
    const auto b = at(near);
    const double next = near - b.value / b.slope;
    return next > 0 && next < bound ? next : solve(bound);
  }

 private:
  /// The rate if nothing ever queued: above the root, and near it unless a station is busy.
  double unloaded() const {
    double cycle = think_;
    for (const auto& d : demands_) cycle += chain_ * d.service;
    return population_ / cycle;
  }

  const Demands& demands_;
  double population_, chain_, think_, loaded_;
};

Throughputs at_rate(double x, const Demands& demands) {
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

template <class Root>
Throughputs solve_with(const Pipeline& pipeline, Root root) {
  const auto demands = demands_of(pipeline);
  const double bound = upper_bound(demands);
  if (std::isinf(pipeline.population)) return at_rate(bound, demands);
  return at_rate(root(ClosedNetwork{pipeline, demands}, bound), demands);
}

}  // namespace

Throughputs solve_throughput(const Pipeline& pipeline) {
  return solve_with(pipeline, [](const ClosedNetwork& n, double bound) { return n.solve(bound); });
}

Throughputs solve_throughput(const Pipeline& pipeline, Rate near) {
  return solve_with(pipeline, [near](const ClosedNetwork& n, double bound) {
    return n.step(near.mmsg_per_s(), bound);
  });
}

}  // namespace qpcast
