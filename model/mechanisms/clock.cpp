#include "model/mechanisms/clock.hpp"

#include <algorithm>

namespace qpcast::clock {

namespace {
double clock_share(const Setup& setup, const ParameterValues& values) {
  return std::min(1.0, setup.cost(values, Cost::clock_share));
}
}  // namespace

Duration cycles_time(Duration at_reference, const Setup& setup, const ParameterValues& values) {
  return at_reference * (clock_share(setup, values) * reference_mhz / setup.clock_mhz);
}

Duration gpu_time(Duration at_reference, const Setup& setup, const ParameterValues& values) {
  const double share = clock_share(setup, values);
  const double waits = setup.facts->coherent ? values.get(Param::gpu_memory_factor) : 1;
  return cycles_time(at_reference, setup, values) + at_reference * ((1 - share) * waits);
}

}  // namespace qpcast::clock
