/// SM clock: T(f) = C / f + B, per operation and library.
///
///   t(f) = t * ( s * f_ref / f  +  (1 - s) * m )
///
/// t: cost at the reference clock of 1,970 MHz (the middle of P-IB's 1,962-1,980 MHz), us.
/// s: `library.*.clock_share`, the fraction of t that is cycles, 0..1.
/// m: how much longer the rest (waits for memory and the host link) takes; `gpu.memory_factor` on
/// platforms where CPU and GPU memory are coherent, 1 elsewhere.
/// Valid for the range clocks were swept over, 502-2,062 MHz; the analytic solver warns outside.
/// Source: arXiv 2610.01380, section 4.1 (clock sweep 502-1,845 MHz on P-RoCE).
#pragma once

#include <algorithm>

#include "model/platform.hpp"
#include "model/setup.hpp"

namespace qpcast::clock {

inline constexpr double reference_mhz = 1970;

/// Time of GPU code that costs `at_reference`, at the setup's clock on the values' platform.
inline Duration gpu_time(Duration at_reference, const Setup& setup, const ParameterValues& values) {
  const double share = std::min(1.0, setup.cost(values, Cost::clock_share));
  const double waits = setup.facts->coherent ? values.get(Param::gpu_memory_factor) : 1;
  return at_reference * (share * reference_mhz / setup.clock_mhz + (1 - share) * waits);
}

}  // namespace qpcast::clock
