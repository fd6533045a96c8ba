#include "model/simgrid/probe.hpp"

namespace qpcast::simgrid {

void Probe::start(double now) {
  trip_began_ = now;
  flush(now);
}

/// The next message once the flush of the last one is over.
void Probe::flush(double now) {
  if (const auto end = traffic_.admit_probe(now))
    world_.agenda.at(*end, EventKind::probe_admitted, 0);
}

void Probe::call(double now) {
  began_ = now;
  traffic_.reserve_probe(now);
  world_.agenda.at(now + world_.jittered(world_.scene.issue), EventKind::probe_issued, 0);
}

void Probe::handle(const Event& event) {
  if (event.kind == EventKind::probe_admitted) return call(event.time);
  if (event.kind == EventKind::probe_issued) {
    issued_ = event.time;
    return traffic_.submit_probe(event.time);
  }
  if (echo_) {
    if (!first_) round_trips_.add(event.time - trip_began_);
    first_ = false;
    trip_began_ = event.time;
    if (--left_ == 0) return;
  }
  echo_ = !echo_;
  flush(event.time);
}

void Probe::passed(const Nic::Passage& passage) {
  if (!first_) {
    issue_ += issued_ - began_;
    cqe_ += passage.acknowledged + world_.scene.complete - issued_;
    put_ += passage.acknowledged + world_.scene.complete - began_;
    ++messages_;
  }
  world_.trace.span(Track::probe, 0, echo_ ? "echo" : "message", began_, passage.visible, 1);
  world_.agenda.at(passage.visible + world_.scene.receive, EventKind::probe_start, 0);
}

}  // namespace qpcast::simgrid
