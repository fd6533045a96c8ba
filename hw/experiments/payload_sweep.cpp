#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Goodput over payload: where the path leaves message rate and reaches the link; and the time of a
/// lone put of that size, which waits for nothing but itself.
void payload_sweep(const Scope& scope, Plan& plan) {
  const std::vector<int> payloads =
      scope.full ? std::vector{8, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576}
                 : std::vector{64, 1024, 16384};
  for (const int payload : payloads) {
    if (scope.no_gpu.empty())
      plan.add("payload sweep",
               fmt::format("submitter=gpu;threads=1;qps=1;sms=1;batch=4;payload={};inline=0;"
                           "ordering=gpu;publication=exclusive",
                           payload),
               Method::rate);
    plan.add("payload sweep",
             fmt::format("submitter=host;qps=1;batch=4;payload={};window=64", payload),
             Method::rate);
    plan.add("payload sweep",
             fmt::format("submitter=host;qps=1;batch=1;payload={};inline=0", payload),
             Method::latency);
    plan.add("payload sweep",
             fmt::format("library=mini-proxy;submitter=proxy;threads=1;workers=1;rings=1;qps=1;"
                         "batch=4;payload={};handoff=tuned;window=64",
                         payload),
             Method::rate);
  }
}

}  // namespace qpcast::hw::experiments
