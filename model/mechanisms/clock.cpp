#include "model/mechanisms/clock.hpp"

#include <algorithm>

namespace qpcast::clock {

Duration cycles_time(Duration at_reference, const Setup& setup, const ParameterValues& values) {
  const double share = std::min(1.0, setup.cost(values, Cost::clock_share));
  return at_reference * (share * reference_mhz / setup.clock_mhz);
}

Duration gpu_time(Duration at_reference, const Setup& setup, const ParameterValues& values) {
  const double share = std::min(1.0, setup.cost(values, Cost::clock_share));
  return cycles_time(at_reference, setup, values) +
         at_reference * ((1 - share) * values.get(Param::gpu_memory_factor));
}

}  // namespace qpcast::clock
