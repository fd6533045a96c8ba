#include "model/simgrid/nic.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::simgrid {

namespace {
constexpr double memory_us = 100;  // of the utilisation average
}

Nic::Nic(const Scene& scene, const SimulationOptions& options, Random& random, Trace& trace)
    : scene_{scene},
      random_{random},
      trace_{trace},
      cache_{scene.cache_capacity, scene.connections, options.replacement},
      path_{std::max(0.0, scene.transit - scene.doorbell_to_nic - scene.engine - scene.wire)},
      turn_{scene.engine * scene.batch *
            std::min(scene.gpu ? scene.queues : scene.workers, scene.streams)} {}

double Nic::stall(std::uint32_t n, std::uint32_t connection) {
  // The switch is paid once a visit, whichever of its doorbells it falls on.
  double time = scene_.dc_switch * n / scene_.visit;
  if (scene_.cache_matters && connection != present && !cache_.visit(connection, random_))
    time += scene_.miss;
  return time;
}

void Nic::load(double now, double busy) {
  utilisation_ *= std::exp((utilisation_at_ - now) / memory_us);
  utilisation_at_ = now;
  utilisation_ = std::min(1.0, utilisation_ + busy / memory_us);
}

Nic::Passage Nic::beyond(double departs) const {
  const double visible = departs + path_ + scene_.load_delay * utilisation_;
  return {departs, visible, visible + scene_.acknowledge};
}

Nic::Passage Nic::send(double now, std::uint32_t n, std::uint32_t queue, std::uint32_t connection) {
  const double start = std::max(now, engine_free_);
  const double service = n * scene_.engine + stall(n, connection);
  engine_free_ = start + service;
  const double first = engine_free_ - (n - 1) * scene_.engine;  // leaves the engine
  wire_free_ =
      std::max({first + n * scene_.wire, wire_free_ + n * scene_.wire, engine_free_ + scene_.wire});
  engine_busy_ += service;
  wire_busy_ += n * scene_.wire;
  load(now, service);
  if (trace_.on()) {
    trace_.span(Track::queue, queue, "wait for the engine", now, start, n);
    trace_.span(Track::nic, 0, "fetch and execute", start, engine_free_, n);
    trace_.span(Track::link, 0, "transmit", wire_free_ - n * scene_.wire, wire_free_, n);
  }
  return beyond(wire_free_);
}

Nic::Passage Nic::send_alone(double now) {
  const double backlog = std::max(0.0, engine_free_ - now);
  const double departs = now + std::min(backlog, turn_) + scene_.engine + scene_.wire;
  engine_busy_ += scene_.engine;
  engine_free_ = std::max(engine_free_, now) + scene_.engine;
  return beyond(departs);
}

}  // namespace qpcast::simgrid
