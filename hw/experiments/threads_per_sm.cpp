#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Many single-thread queue pairs on one SM against the same spread over SMs.
void threads_per_sm(const Scope& scope, Plan& plan) {
  if (!scope.no_gpu.empty()) plan.skip("threads per SM", scope.no_gpu);
}

}  // namespace qpcast::hw::experiments
