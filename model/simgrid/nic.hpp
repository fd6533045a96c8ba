/// The NIC of one PE: message engine (engine.hpp), then the wire.
///
/// Engine and wire serve in order of arrival, so what a batch waits for is known when its doorbell
/// rings and needs no events of its own. The wire takes n * wire, overlapping the engine message by
/// message. The engine turns to its queue pairs one after the other: a message on an idle queue
/// pair waits for one turn of every busy one, not for their whole backlog. Under load the path
/// beyond takes longer by load_delay * utilisation, the utilisation being that of the last 100 us,
/// exponentially weighted. As many contexts as fit are on the NIC from the start.
#pragma once

#include <cstdint>
#include <vector>

#include "model/simgrid/engine.hpp"
#include "model/simgrid/trace.hpp"

namespace qpcast::simgrid {

class Nic {
 public:
  Nic(const Scene& scene, const SimulationOptions& options, Random& random, Trace& trace);

  struct Passage {
    double departs;       ///< the last message left the wire's end
    double visible;       ///< its payload is at the target
    double acknowledged;  ///< its CQE is written
  };
  /// n messages of one doorbell on one connection. Calls come in order of time.
  Passage send(double now, std::uint32_t n, std::uint32_t queue, std::uint32_t connection);
  /// One message on a queue pair that nobody else uses.
  Passage send_alone(double now);

  double engine_busy_us() const { return engine_.busy_us(); }
  double wire_busy_us() const { return wire_busy_; }
  std::uint64_t misses() const { return engine_.misses(); }

 private:
  void load(double now, double busy);
  Passage beyond(double departs) const;

  const Scene& scene_;
  Trace& trace_;
  Engine engine_;
  double path_;  ///< from the wire's end to the target, us
  double turn_;  ///< one turn of every queue pair, us
  double wire_free_ = 0, wire_busy_ = 0;
  double utilisation_ = 0, utilisation_at_ = 0;
};

}  // namespace qpcast::simgrid
