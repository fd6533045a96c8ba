#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// A lone 8 B put: what it costs to issue, and when it is complete. On a GPU for every ordering
/// scope; on a CPU by the thread itself and through mini-proxy.
void single_operation(const Scope& scope, Plan& plan) {
  constexpr auto name = "single operation";
  if (!scope.no_gpu.empty()) plan.skip(name, "GPU orderings: " + scope.no_gpu);
  for (const int inlined : {0, 1})
    for (const auto method : {Method::latency, Method::round_trip}) {
      plan.add(name, fmt::format("submitter=host;qps=1;batch=1;payload=8;inline={}", inlined),
               method);
      plan.add(name,
               fmt::format("library=mini-proxy;submitter=proxy;threads=1;workers=1;rings=1;qps=1;"
                           "batch=1;payload=8;inline={};handoff=tuned",
                           inlined),
               method);
    }
}

}  // namespace qpcast::hw::experiments
