#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Requests per doorbell: one thread on one queue pair, and a proxy's chains.
void batching(const Scope& scope, Plan& plan) {
  constexpr auto name = "batching";
  const std::vector<int> host =
      scope.full ? std::vector{1, 2, 4, 8, 16, 32, 64} : std::vector{1, 4, 16};
  for (const int batch : host)
    plan.add(name, fmt::format("submitter=host;qps=1;batch={};payload=8;window=128", batch),
             Method::rate);
  const std::vector<int> gpu =
      scope.full ? std::vector{1, 2, 4, 8, 16, 32, 64, 128, 256} : std::vector{1, 4, 16, 64};
  if (scope.no_gpu.empty())
    for (const int batch : gpu)
      plan.add(name,
               fmt::format("submitter=gpu;threads=1;qps=1;sms=1;batch={};payload=8;inline=1;"
                           "ordering=gpu;publication=exclusive",
                           batch),
               Method::rate);
  if (scope.no_gpu.empty())
    for (const auto* ordering : {"release", "system"})
      plan.add(name,
               fmt::format("submitter=gpu;threads=16;qps=16;sms=16;batch=16;payload=8;inline=1;"
                           "ordering={};publication=exclusive",
                           ordering),
               Method::rate);
  const std::vector<int> proxy = scope.full ? std::vector{1, 2, 4, 8, 16} : std::vector{1, 4, 16};
  for (const int batch : proxy)
    plan.add(name,
             fmt::format("library=mini-proxy;submitter=proxy;threads=1;workers=1;rings=1;qps=1;"
                         "batch={};payload=8;handoff=tuned;window=128",
                         batch),
             Method::rate);
}

}  // namespace qpcast::hw::experiments
