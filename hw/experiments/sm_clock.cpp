#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Issue and completion of a lone put, and the rate of one thread, over the SM clock: T(f) = C/f +
/// B. Unless the user lets clocks be set there is one clock, which every GPU row carries as
/// observed.
void sm_clock(const Scope& scope, Plan& plan) {
  constexpr auto name = "SM clock";
  if (!scope.no_gpu.empty()) return plan.skip(name, scope.no_gpu);
  if (scope.sm_clocks.empty())
    return plan.skip(name,
                     "clocks are set with --set-clocks only; each GPU row has the clock observed");
  for (const auto mhz : scope.sm_clocks) {
    const auto add = [&](const char* rest, Method method) {
      plan.add(name,
               fmt::format("submitter=gpu;qps=1;threads=1;sms=1;payload=8;inline=1;ordering=gpu;"
                           "completion=per-qp;queue_memory=gpu;clock_mhz={};{}",
                           mhz, rest),
               method);
    };
    add("batch=1", Method::latency);
    add("batch=16;publication=exclusive", Method::rate);
  }
}

}  // namespace qpcast::hw::experiments
