#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Dynamically connected initiators: what an address vector in every WQE costs.
void dc(const Scope& scope, Plan& plan) {
  constexpr auto name = "DC";
  if (!scope.no_dc.empty()) return plan.skip(name, scope.no_dc);
  for (const auto* transport : {"rc", "dc"}) {
    plan.add(name,
             fmt::format("submitter=gpu;qps=1;threads=1;sms=1;batch=1;payload=8;inline=1;"
                         "ordering=gpu;transport={}",
                         transport),
             Method::latency);
    for (const int batch : {1, 16})
      plan.add(name,
               fmt::format("submitter=gpu;qps=1;threads=1;sms=1;batch={};payload=8;inline=1;"
                           "ordering=gpu;publication=exclusive;transport={}",
                           batch, transport),
               Method::rate);
  }
}

}  // namespace qpcast::hw::experiments
