#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Issue and completion over the SM clock. Clocks are observed and never set, so that a GPU at one
/// clock has nothing to sweep; every GPU row carries the clock that it saw.
void sm_clock(const Scope& scope, Plan& plan) {
  plan.skip("SM clock", scope.no_gpu.empty()
                            ? "clocks are not set; each GPU row has the clock observed"
                            : scope.no_gpu);
}

}  // namespace qpcast::hw::experiments
