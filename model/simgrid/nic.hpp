/// The NIC as the simulation sees it: a message engine and a wire, each serving first come, first
/// served. Since nothing inside a batch can differ, one call passes a whole batch.
#pragma once

#include <algorithm>

#include "model/pipeline.hpp"

namespace qpcast::simgrid {

class Nic {
 public:
  explicit Nic(const Pipeline& pipeline)
      : engine_{pipeline.service(Resource::engine).us()},
        wire_{pipeline.service(Resource::wire).us()},
        load_delay_{pipeline.load_delay.us()},
        flight_{(pipeline.total(Phase::transit) + pipeline.total(Phase::acknowledge)).us()} {}

  /// A doorbell at `now` announces `messages`. @return when the last one's CQE is written
  double submit(double now, double messages) {
    const double engine_done = serve(engine_free_, now, engine_ * messages);
    // The wire starts on the first message while the engine still works on the last.
    const double first = engine_done - engine_ * (messages - 1);
    const double wire_done = std::max(serve(wire_free_, first, wire_ * messages), engine_done);
    busy_ += engine_ * messages;
    const double load = load_delay_ * std::min(1.0, busy_ / std::max(now, 1e-9));
    return wire_done + flight_ + load;
  }
  double utilisation(double now) const { return now > 0 ? std::min(1.0, busy_ / now) : 0; }
  double load_delay(double now) const { return load_delay_ * utilisation(now); }

 private:
  static double serve(double& free_at, double arrival, double service) {
    free_at = std::max(free_at, arrival) + service;
    return free_at;
  }
  double engine_, wire_, load_delay_, flight_;
  double engine_free_ = 0, wire_free_ = 0, busy_ = 0;
};

}  // namespace qpcast::simgrid
