#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

namespace {

void gpu_operation(const char* name, const Scope& scope, Plan& plan) {
  const auto add = [&](const char* submitter, const char* ordering, const char* memory, int inlined,
                       Method method) {
    plan.add(name,
             fmt::format("submitter={};qps=1;threads=1;sms=1;batch=1;payload=8;inline={};"
                         "ordering={};completion=per-qp;queue_memory={}",
                         submitter, inlined, ordering, memory),
             method);
  };
  for (const auto* ordering : {"none", "gpu", "release", "system"})
    for (const auto* memory : {"gpu", "host"})
      for (const int inlined : {1, 0}) {
        if (!scope.full && inlined == 0) continue;
        add("gpu", ordering, memory, inlined, Method::latency);
      }
  for (const auto* memory : {"gpu", "host"}) {
    add("gpu", "gpu", memory, 1, Method::round_trip);
    add("cpu-assisted", "gpu", memory, 1, Method::latency);
  }
}

}  // namespace

/// A lone 8 B put: what it costs to issue, and when it is complete. On a GPU for every ordering
/// scope; on a CPU by the thread itself and through mini-proxy.
void single_operation(const Scope& scope, Plan& plan) {
  constexpr auto name = "single operation";
  if (scope.no_gpu.empty())
    gpu_operation(name, scope, plan);
  else
    plan.skip(name, "GPU orderings: " + scope.no_gpu);
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
