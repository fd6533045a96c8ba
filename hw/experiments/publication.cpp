#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Strategies by which GPU threads share a queue pair; a CPU submitter has none to compare.
void publication(const Scope& scope, Plan& plan) {
  if (!scope.no_gpu.empty()) plan.skip("publication", scope.no_gpu);
}

}  // namespace qpcast::hw::experiments
