/// Traffic: the side that submits. One implementation per way of working; the simulation knows
/// only this interface.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/simgrid/agenda.hpp"
#include "model/simgrid/histogram.hpp"
#include "model/simgrid/meter.hpp"
#include "model/simgrid/nic.hpp"
#include "model/simgrid/random.hpp"
#include "model/simgrid/scene.hpp"
#include "model/simgrid/trace.hpp"

namespace qpcast::simgrid {

/// Told when a probe's message has passed the NIC.
class ProbeListener {
 public:
  virtual ~ProbeListener() = default;
  virtual void passed(const Nic::Passage& passage) = 0;
};

/// What the parts of one simulation share.
struct World {
  World(const Scene& s, const SimulationOptions& o, Meter m, Trace& t)
      : scene{s}, options{o}, random{o.seed}, trace{t}, nic{s, o, random, t}, meter{m} {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Time of a code path with lane jitter: mean `us`, skewed to the right.
  double jittered(double us) {
    const double v = options.lane_jitter;
    return v > 0 ? us * (1 + v * (random.exponential() - 1)) : us;
  }
  void departed(const Nic::Passage& passage, std::uint32_t n) { meter.depart(passage.departs, n); }
  void record_latency(double us, std::uint32_t n) {
    if (meter.warm()) latency.add(us, n);
  }

  const Scene& scene;
  const SimulationOptions& options;
  Random random;
  Trace& trace;
  Agenda agenda;
  Nic nic;
  Meter meter;
  Histogram latency;
  ProbeListener* probe = nullptr;
};

class Traffic {
 public:
  virtual ~Traffic() = default;
  /// Schedules everybody's first event.
  virtual void start() = 0;
  virtual void handle(const Event& event) = 0;
  /// When the probe may reuse its source buffer: at once unless its flush covers other threads'
  /// messages. Nothing: that is not known yet, and `probe_admitted` will come.
  virtual std::optional<double> admit_probe(double now) { return now; }
  /// The probe's call begins; where slots are reserved in order, it takes one.
  virtual void reserve_probe(double) {}
  /// The probe's request is built; what it shares with the traffic it now waits for. Ends in
  /// `world.probe->passed`.
  virtual void submit_probe(double now) = 0;
  /// For a simulation that cannot go on: who waits for what, naming the key; empty if nobody does.
  virtual std::string waiting() const = 0;
  /// Share of time that submitters, workers and exclusive sections were busy, for the report.
  virtual double submitter_busy_us() const { return 0; }
  virtual double section_busy_us() const { return 0; }
  virtual double worker_busy_us() const { return 0; }
  virtual double lock_busy_us() const { return 0; }
  /// WQEs that one exclusive section announced, on average; 0 where there is none.
  virtual double run_length() const { return 0; }
};

/// The probe's doorbell rings: on its own queue pair, or behind what it shares.
void probe_doorbell(World& world, double now);

/// @param idle  the same machine without bulk traffic, for a lone probe
std::unique_ptr<Traffic> make_traffic(World& world, bool idle);

}  // namespace qpcast::simgrid
