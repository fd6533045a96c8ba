/// For tests: the quick plan's experiments, two short passes each.
#pragma once

#include "hw/experiments/plan.hpp"

namespace qpcast::hw {

/// @param no_gpu  why GPU submitters are left out; empty: they are not
inline Plan short_plan(const std::vector<std::string>& experiments,
                       const std::string& no_gpu = "no GPU") {
  using namespace std::chrono_literals;
  auto plan =
      make_plan("quick", {.kind = "emulated", .processors = 2, .no_gpu = no_gpu, .no_dc = no_gpu},
                experiments);
  plan.passes = 2;
  plan.pass_time = 2ms;
  plan.warm_up = 1ms;
  return plan;
}

}  // namespace qpcast::hw
