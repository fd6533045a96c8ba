#include "model/simgrid/simgrid_solver.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <optional>
#include <simgrid/s4u.hpp>
#include <string>

#include "model/analytic/metrics.hpp"
#include "model/error.hpp"
#include "model/simgrid/world.hpp"

namespace qpcast {

namespace {

using simgrid::World;

/// What a simulation measured: plain data, it travels through a pipe.
struct Outcome {
  double rate = 0, rate_half_width = 0;
  double messages = 0, simulated_us = 0;
  Distribution latency, round_trip;
  bool stuck = false;
  std::array<char, 256> waiting{};
};

Distribution describe(const simgrid::Histogram& h) {
  return {h.count(), h.mean(), h.quantile(0.5), h.quantile(0.99), h.quantile(0.999)};
}

/// SimulationOptions for one layout: what circulates in it decides how long "long" is.
struct StoppingRule {
  double messages = 0, half_width = 0;
  double warm_up = 0;      ///< messages
  double interval = 0;     ///< messages per batch mean
  double probe_trips = 0;  ///< round trips to see; 0 without a probe
};

StoppingRule stopping_rule(const Setup& setup, const World& world,
                           const SimulationOptions& options) {
  constexpr double trips = 32;
  const double circulating = world.circulating();
  StoppingRule r{options.messages, options.half_width, 0, 0, 0};
  r.warm_up = std::max(options.warm_up * options.messages / 32, 3 * circulating);
  r.interval = std::max(circulating, options.messages / 128);
  r.probe_trips = setup.background_ctas > 0 ? trips : 0;
  r.messages = std::max(r.messages, r.warm_up + 40 * r.interval);
  return r;
}

/// Plays a world up to the stopping rule. Rate is counted over intervals of equal message counts.
class Playback {
 public:
  Playback(World& world, const StoppingRule& options) : world_{world}, options_{options} {
    next_mark_ = options.warm_up;
  }

  /// Plays until `until` (us). @return false when the simulation is over
  bool play(double until) {
    while (!stuck() && world_.now() <= until && !over_) {
      world_.step();
      idle_ = world_.completed() > last_completed_ ? 0 : idle_ + 1;
      last_completed_ = world_.completed();
      if (world_.completed() >= next_mark_) mark();
    }
    return !over_ && !stuck();
  }

  Outcome outcome() const {
    Outcome o;
    o.rate = rates_.mean();
    o.rate_half_width = rates_.half_width();
    o.messages = world_.completed();
    o.simulated_us = world_.now();
    o.latency = describe(world_.latency());
    o.round_trip = describe(world_.round_trip());
    o.stuck = stuck() && !over_;
    if (o.stuck) std::strncpy(o.waiting.data(), world_.waiting().c_str(), o.waiting.size() - 1);
    return o;
  }

 private:
  /// Nothing left to happen, or a probe that goes round while nobody else moves.
  bool stuck() const {
    constexpr std::uint64_t too_long = 10'000'000;  // events; a million agents take a tenth
    return world_.stuck() || idle_ > too_long;
  }

  void mark() {
    constexpr int intervals = 32;
    if (measuring_) {
      rates_.add((world_.completed() - marked_messages_) / (world_.now() - marked_time_));
    } else {
      measuring_ = true;
      world_.start_measuring();
    }
    marked_messages_ = world_.completed();
    marked_time_ = world_.now();
    next_mark_ = marked_messages_ + std::max(1.0, options_.interval);
    const bool probed =
        !options_.probe_trips || world_.round_trip().count() >= options_.probe_trips;
    const bool sure = probed && rates_.count() >= intervals / 2 &&
                      rates_.half_width() < options_.half_width * rates_.mean();
    over_ = sure || world_.completed() >= options_.messages;
  }

  World& world_;
  StoppingRule options_;
  simgrid::BatchMeans rates_;
  double next_mark_ = 0, marked_messages_ = 0, marked_time_ = 0;
  double last_completed_ = 0;
  std::uint64_t idle_ = 0;  ///< events since a message completed
  bool measuring_ = false, over_ = false;
};

/// One PE under SimGrid's clock. Runs in the child process.
Outcome run_engine(World& world, const StoppingRule& options) {
  namespace sg = ::simgrid::s4u;
  std::array<char, 7> name{"qpcast"};
  std::array<char, 26> quiet{"--log=root.thres:critical"};
  std::array<char*, 3> argv{name.data(), quiet.data(), nullptr};
  int argc = 2;
  sg::Engine engine{&argc, argv.data()};
  auto* zone = sg::create_full_zone("node");
  auto* host = zone->create_host("pe0", 1e9);
  zone->seal();
  Playback playback{world, options};
  sg::Actor::create("pe0", host, [&] {
    constexpr double slice_us = 1000;
    while (playback.play(sg::Engine::get_clock() * 1e6 + slice_us))
      sg::this_actor::sleep_for(slice_us * 1e-6);
  });
  engine.run();
  return playback.outcome();
}

/// Runs `work` in a child and brings back its result; nothing if the child died.
template <class Work>
std::optional<Outcome> in_child(Work work) {
  int ends[2];  // NOLINT(modernize-avoid-c-arrays): pipe's own signature
  if (::pipe(ends) != 0) throw InputError{"simulation", "pipe", std::strerror(errno)};
  const pid_t child = ::fork();
  if (child < 0) throw InputError{"simulation", "fork", std::strerror(errno)};
  if (child == 0) {
    ::close(ends[0]);
    const Outcome o = work();
    const bool written = ::write(ends[1], &o, sizeof o) == static_cast<ssize_t>(sizeof o);
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  Outcome o;
  std::size_t got = 0;
  while (got < sizeof o) {
    const auto n = ::read(ends[0], reinterpret_cast<char*>(&o) + got, sizeof o - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return got == sizeof o ? std::optional{o} : std::nullopt;
}

Estimate with_half_width(double value, double half_width) {
  const double h = std::isfinite(half_width) ? half_width : value;
  return {value, value - h, value + h};
}

}  // namespace

SimgridSolver::SimgridSolver(const Platform& platform)
    : facts_{platform.facts}, values_{platform}, emulated_{platform.emulated} {}

Prediction SimgridSolver::predict(const Layout& layout, const LibraryPreset* preset,
                                  const SimulationOptions& options) {
  const auto setup = resolve(layout, preset, facts_, values_);
  const auto result = in_child([&] {
    const auto world = setup.gpu_builds() ? simgrid::gpu_world(setup, values_, options.seed)
                                          : simgrid::proxy_world(setup, values_, options.seed);
    return run_engine(*world, stopping_rule(setup, *world, options));
  });
  if (!result) throw InputError{"simulation", "", "its process died before it had a result"};
  if (result->stuck)
    throw InputError{"simulation", "window",
                     fmt::format("cannot progress: {}", result->waiting.data())};

  Prediction p;
  p.solver = "simgrid";
  p.emulated = emulated_;
  const bool loaded = setup.background_ctas > 0;
  p.metrics.push_back({loaded ? Metric::carried_rate : Metric::rate,
                       with_half_width(result->rate, result->rate_half_width)});
  const auto goodput = (Rate::mmsg_per_s(result->rate) * setup.payload).gb_per_s();
  p.metrics.push_back({Metric::goodput,
                       with_half_width(goodput, goodput * result->rate_half_width / result->rate)});
  if (loaded && result->round_trip.count > 0) {
    p.metrics.push_back(
        {Metric::rtt, {result->round_trip.p50, result->round_trip.p50, result->round_trip.p50}});
    p.metrics.push_back({Metric::rtt_p99,
                         {result->round_trip.p99, result->round_trip.p99, result->round_trip.p99}});
  }
  p.latency = result->latency;
  p.round_trip = result->round_trip;
  const auto pipeline = build_pipeline(setup, values_);
  double most = -1;
  for (std::size_t k = 0; k < resource_count; ++k) {
    const auto r = static_cast<Resource>(k);
    const double busy = result->rate * pipeline.service(r).us() / pipeline.station(r).servers;
    if (busy <= 0) continue;
    p.stations.push_back({resource_name(r), busy});
    if (busy > most) {
      most = busy;
      p.bottleneck = resource_name(r);
    }
  }
  return p;
}

Answer SimgridSolver::answer(const Question& q, const SimulationOptions& options) {
  Answer a;
  const bool rate =
      q.metric == Metric::rate || q.metric == Metric::carried_rate || q.metric == Metric::goodput;
  const bool loaded = q.config.layout.number(Key::background_ctas, 0) > 0;
  const bool round_trip = loaded && (q.metric == Metric::rtt || q.metric == Metric::rtt_p99);
  a.reason = not_modelled(q.metric, q.config.layout);
  if (a.modelled() && !rate && !round_trip)
    a.reason = "a path sum, which the analytic solver answers";
  if (!a.modelled()) return a;
  const auto of = [&](const Proposal& p) {
    const auto prediction = predict(p.layout, p.preset, options);
    const auto* e = prediction.find(q.metric);
    return e ? *e : Estimate{};
  };
  a.estimate = of(q.config);
  if (q.statistic == Statistic::value) return a;
  const auto base = of(q.baseline);
  auto& e = a.estimate;
  if (q.statistic == Statistic::ratio)
    e = {e.value / base.value, e.lo / base.hi, e.hi / base.lo};
  else
    e = {e.value - base.value, e.lo - base.hi, e.hi - base.lo};
  return a;
}

}  // namespace qpcast
