#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Dynamically connected initiators against destinations per burst.
void dc(const Scope& scope, Plan& plan) {
  if (!scope.no_dc.empty()) plan.skip("DC", scope.no_dc);
}

}  // namespace qpcast::hw::experiments
