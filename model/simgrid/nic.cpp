#include "model/simgrid/nic.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::simgrid {

namespace {
constexpr double memory_us = 100;  // of the utilisation average
}

Nic::Nic(const Scene& scene, const SimulationOptions& options, Random& random, Trace& trace)
    : scene_{scene},
      trace_{trace},
      engine_{scene, scene.connections, options.replacement, random},
      path_{std::max(0.0, scene.transit - scene.doorbell_to_nic - scene.engine - scene.wire)},
      turn_{scene.engine * scene.batch *
            std::min(scene.gpu ? scene.queues : scene.workers, scene.streams)} {
  engine_.warm_up();
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
  const auto [start, first, end] = engine_.serve(now, n, connection);
  wire_free_ = std::max({first + n * scene_.wire, wire_free_ + n * scene_.wire, end + scene_.wire});
  wire_busy_ += n * scene_.wire;
  load(now, end - start);
  if (trace_.on()) {
    trace_.overlapping(Track::queue, queue, "wait for the engine", now, start, n);
    trace_.span(Track::nic, 0, "fetch and execute", start, end, n);
    trace_.span(Track::link, 0, "transmit", wire_free_ - n * scene_.wire, wire_free_, n);
  }
  return beyond(wire_free_);
}

Nic::Passage Nic::send_alone(double now) {
  const double backlog = std::max(0.0, engine_.free_at() - now);
  const double departs = now + std::min(backlog, turn_) + scene_.engine + scene_.wire;
  engine_.serve_aside(now);
  return beyond(departs);
}

}  // namespace qpcast::simgrid
