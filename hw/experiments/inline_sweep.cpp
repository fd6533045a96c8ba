#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Inline against pointer over the payloads where the two cross.
void inline_sweep(const Scope& scope, Plan& plan) {
  const std::vector<int> payloads =
      scope.full ? std::vector{8, 24, 40, 56, 72, 88, 104, 120, 152, 184, 220}
                 : std::vector{32, 96, 192};
  for (const int payload : payloads)
    for (const int inlined : {0, 1}) {
      if (scope.no_gpu.empty())
        plan.add("inline sweep",
                 fmt::format("submitter=gpu;qps=1;threads=1;sms=1;batch=1;payload={};inline={};"
                             "ordering=gpu;completion=per-qp",
                             payload, inlined),
                 Method::latency);
      if (scope.no_gpu.empty() && inlined == 1)
        plan.add("inline sweep",
                 fmt::format("submitter=gpu;qps=1;threads=1;sms=1;batch=16;payload={};inline=1;"
                             "ordering=gpu;publication=exclusive",
                             payload),
                 Method::rate);
      plan.add("inline sweep",
               fmt::format("submitter=host;qps=1;batch=1;payload={};inline={}", payload, inlined),
               Method::latency);
      if (inlined == 1)
        plan.add(
            "inline sweep",
            fmt::format("submitter=host;qps=1;batch=16;payload={};inline=1;window=128", payload),
            Method::rate);
    }
}

}  // namespace qpcast::hw::experiments
