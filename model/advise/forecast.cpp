#include "model/advise/forecast.hpp"

#include <algorithm>

#include "model/mechanisms/backlog.hpp"

namespace qpcast::advise {

namespace {

/// The best of several pipelines, part by part.
class Envelope {
 public:
  void widen(const Pipeline& p) {
    for (std::size_t k = 0; k < phase_count; ++k)
      keep_least(phases_.at(k), p.total(static_cast<Phase>(k)));
    for (std::size_t k = 0; k < resource_count; ++k) {
      const auto resource = static_cast<Resource>(k);
      keep_least(services_.at(k), p.service(resource));
      servers_.at(k) = std::max(servers_.at(k), p.station(resource).servers);
    }
    keep_least(load_delay_, p.load_delay);
    population_ = std::max(population_, p.population);
    chain_ = empty_ ? p.chain : std::min(chain_, p.chain);
    backlog_ = empty_ ? p.backlog
                      : Backlog{std::min(backlog_.messages, p.backlog.messages),
                                std::max(backlog_.share_of_rate, p.backlog.share_of_rate)};
    loaded_ = p.loaded;
    empty_ = false;
  }

  Pipeline pipeline() const {
    Pipeline p;
    for (std::size_t k = 0; k < phase_count; ++k)
      p.path("bound", static_cast<Phase>(k), phases_.at(k));
    for (std::size_t k = 0; k < resource_count; ++k) {
      const auto resource = static_cast<Resource>(k);
      p.work(resource, services_.at(k));
      p.servers(resource, servers_.at(k));
    }
    p.load_delay = load_delay_;
    p.population = population_;
    p.chain = chain_;
    p.backlog = backlog_;
    p.loaded = loaded_;
    return p;
  }

 private:
  void keep_least(Duration& kept, Duration time) const {
    if (empty_ || time < kept) kept = time;
  }

  std::array<Duration, phase_count> phases_{};
  std::array<Duration, resource_count> services_{};
  std::array<double, resource_count> servers_{};
  Duration load_delay_;
  Backlog backlog_;
  double population_ = 0, chain_ = 1;
  bool loaded_ = false, empty_ = true;
};

/// The shortest latency: under load, without the transit that rises with the NIC's utilisation,
/// because the bound's utilisation is not the layout's.
Duration least_latency(const Pipeline& p, Rate rate) {
  if (p.loaded)
    return (p.total(Phase::issue) + p.total(Phase::transit) + p.total(Phase::receive) +
            backlog::wait(p, rate)) *
           2;
  return p.total(Phase::issue) + p.total(Phase::transit) + p.total(Phase::acknowledge) +
         p.total(Phase::complete);
}

}  // namespace

Metric metric_of(Goal goal, bool loaded) {
  switch (goal) {
    case Goal::rate:
      return loaded ? Metric::carried_rate : Metric::rate;
    case Goal::goodput:
      return Metric::goodput;
    case Goal::latency:
      return loaded ? Metric::rtt : Metric::put_completion;
  }
  return Metric::rate;
}

double score(Goal goal, const Forecast& f) {
  return goal == Goal::rate ? f.rate : goal == Goal::goodput ? f.goodput : 1 / f.latency;
}

std::uint64_t Box::points(std::size_t axes) const {
  std::uint64_t n = 1;
  for (std::size_t a = 0; a < axes; ++a) n *= hi.at(a) - lo.at(a) + 1;
  return n;
}

Forecast Forecaster::at(const Layout& layout) {
  const auto setup = resolve(layout, &preset_, facts_, values_);
  const auto s = solve(setup, values_);
  const bool loaded = setup.background_ctas > 0;
  return {evaluate(Metric::rate, setup, values_, s), evaluate(Metric::goodput, setup, values_, s),
          evaluate(metric_of(Goal::latency, loaded), setup, values_, s)};
}

Forecast Forecaster::bound(const Space& space, const Box& box) {
  const auto axes = space.axes().size();
  corners_.clear();
  std::vector<Publication> protocols;
  for (std::uint32_t mask = 0; mask < 1U << axes; ++mask) {
    Point corner = box.lo;
    bool repeated = false;
    for (std::size_t a = 0; a < axes; ++a) {
      if (!(mask >> a & 1U)) continue;
      corner.at(a) = box.hi.at(a);
      repeated = repeated || box.lo.at(a) == box.hi.at(a);
    }
    if (repeated) continue;
    corners_.push_back(resolve(space.layout(corner), &preset_, facts_, values_));
    const auto protocol = corners_.back().publication;
    if (std::find(protocols.begin(), protocols.end(), protocol) == protocols.end())
      protocols.push_back(protocol);
  }
  Envelope envelope;
  double payload = 0;
  for (auto& setup : corners_)
    for (const auto protocol : protocols) {
      setup.publication = protocol;
      envelope.widen(build_pipeline(setup, values_));
      payload = std::max(payload, setup.payload.count());
    }
  const auto p = envelope.pipeline();
  const auto rate = solve_throughput(p).rate;
  return {rate.mmsg_per_s(), rate.mmsg_per_s() * payload * 1e-3, least_latency(p, rate).us()};
}

}  // namespace qpcast::advise
