#include "model/simgrid/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/error.hpp"
#include "model/simgrid/probe.hpp"
#include "model/simgrid/s4u_engine.hpp"
#include "model/simgrid/streams.hpp"
#include "model/simgrid/traffic.hpp"
#include "model/simgrid/warps.hpp"
#include "model/simgrid/workers.hpp"

namespace qpcast::simgrid {

std::unique_ptr<Traffic> make_traffic(World& world, bool idle) {
  const auto& scene = world.scene;
  if (!scene.gpu) return std::make_unique<Workers>(world, idle);
  if (idle) return std::make_unique<Streams>(world, true);
  switch (scene.setup.publication) {
    case Publication::warp_synchronised:
      return std::make_unique<SynchronisedWarps>(world);
    case Publication::warp_drifting:
      return std::make_unique<DriftingWarps>(world);
    default:
      return std::make_unique<Streams>(world, false);
  }
}

namespace {

Meter make_meter(const SimulationOptions& o) {
  constexpr std::uint64_t most_batches = 40;
  const auto skip = static_cast<double>(o.messages) * o.warm_up;
  return {static_cast<std::uint64_t>(skip), std::max<std::uint64_t>(1, o.messages / most_batches)};
}

class Simulation {
 public:
  Simulation(const Scene& scene, const SimulationOptions& options, Scenario scenario)
      : options_{options},
        lone_{scenario == Scenario::lone},
        trace_{options.trace.empty() ? 0 : options.trace_events, options.trace_from},
        world_{scene, options, make_meter(options), trace_},
        traffic_{make_traffic(world_, lone_)} {
    if (lone_ || scene.setup.background_ctas > 0) {
      probe_.emplace(world_, *traffic_, lone_ ? options.lone_probes : options.probes);
      world_.probe = &*probe_;
    }
  }

  /// The body of the actor. Events run ahead of SimGrid's clock by at most the time a message
  /// needs to the target: nothing outside this NIC can answer sooner, so their order is right.
  void run() {
    traffic_->start();
    if (probe_) probe_->start(0);
    const double lookahead = std::max(0.1, world_.scene.transit);
    double horizon = lookahead;
    while (!finished()) {
      if (world_.agenda.empty()) return;
      const double next = world_.agenda.next().time;
      if (next > horizon) {
        ::simgrid::s4u::this_actor::sleep_until(next);
        horizon = next + lookahead;
      }
      step(world_.agenda.take());
    }
  }

  /// @throws InputError when nothing could progress, or when the trace cannot be written
  SimulationResult result() const {
    if (!finished()) stuck();
    if (!options_.trace.empty() && !lone_) trace_.write(options_.trace);
    SimulationResult r;
    const auto& m = world_.meter;
    r.rate = m.rate();
    r.half_width = m.half_width();
    r.converged = r.half_width <= options_.half_width;
    r.messages = m.seen();
    r.simulated_us = now_;
    r.events = events_;
    r.misses = world_.nic.misses();
    r.run_length = traffic_->run_length();
    r.latency = world_.latency;
    fill_utilisation(r);
    if (!probe_) return r;
    r.issue = probe_->issue_us();
    r.doorbell_to_cqe = probe_->doorbell_to_cqe_us();
    r.put_completion = probe_->put_completion_us();
    r.probe = probe_->round_trips();
    return r;
  }

 private:
  void step(const Event& event) {
    now_ = event.time;
    ++events_;
    if (event.kind == EventKind::probe_admitted || event.kind == EventKind::probe_issued ||
        event.kind == EventKind::probe_start)
      probe_->handle(event);
    else
      traffic_->handle(event);
  }

  bool finished() const {
    if (lone_) return probe_->done();
    if (world_.meter.seen() >= options_.messages) return true;
    if (probe_ && !probe_->done()) return false;
    return world_.meter.half_width() <= options_.half_width;
  }

  [[noreturn]] void stuck() const {
    const auto who = traffic_->waiting();
    throw InputError{"traffic", "",
                     fmt::format("nothing can progress after {:.3f} us and {} messages: {}", now_,
                                 world_.meter.seen(), who.empty() ? "nobody has work" : who)};
  }

  void fill_utilisation(SimulationResult& r) const {
    const auto& s = world_.scene;
    if (now_ <= 0) return;
    const auto set = [&](Resource which, double busy, double servers) {
      r.utilisation.at(static_cast<std::size_t>(which)) = std::min(1.0, busy / servers / now_);
    };
    set(Resource::submitter, traffic_->submitter_busy_us(), s.generates ? 1 : s.streams);
    set(Resource::queue, traffic_->section_busy_us(), std::min(s.queues, s.streams));
    set(Resource::worker, traffic_->worker_busy_us(), s.workers);
    set(Resource::lock, traffic_->lock_busy_us(), 1);
    set(Resource::engine, world_.nic.engine_busy_us(), 1);
    set(Resource::wire, world_.nic.wire_busy_us(), 1);
  }

  const SimulationOptions& options_;
  bool lone_;
  Trace trace_;
  World world_;
  std::unique_ptr<Traffic> traffic_;
  std::optional<Probe> probe_;
  double now_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace

SimulationResult simulate(const Scene& scene, const SimulationOptions& options, Scenario scenario) {
  // One second of SimGrid's clock is one of our microseconds, well above its time precision.
  const auto engine = start_engine();
  auto* zone = ::simgrid::s4u::create_full_zone("pe");
  auto* host = zone->create_host("nic", 1.0)->seal();
  zone->seal();

  Simulation simulation{scene, options, scenario};
  // Nothing may throw on an actor's stack: it must not unwind through SimGrid's scheduler.
  ::simgrid::s4u::Actor::create("agenda", host, [&] { simulation.run(); });
  engine->run();
  return simulation.result();
}

}  // namespace qpcast::simgrid
