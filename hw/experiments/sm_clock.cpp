#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Issue and completion at the SM clock as observed.
void sm_clock(const Scope& scope, Plan& plan) {
  if (!scope.no_gpu.empty()) plan.skip("SM clock", scope.no_gpu);
}

}  // namespace qpcast::hw::experiments
