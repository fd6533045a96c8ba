#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Many single-thread queue pairs on one SM against the same spread over SMs.
void threads_per_sm(const Scope& scope, Plan& plan) {
  constexpr auto name = "threads per SM";
  if (!scope.no_gpu.empty()) return plan.skip(name, scope.no_gpu);
  const std::vector<int> counts = scope.full ? std::vector{2, 4, 8, 16, 32, 64} : std::vector{32};
  for (const int count : counts)
    for (const int sms : {1, count})
      plan.add(name,
               fmt::format("submitter=gpu;threads={0};qps={0};sms={1};batch=16;payload=8;inline=1;"
                           "ordering=gpu;publication=exclusive",
                           count, sms),
               Method::rate);
}

}  // namespace qpcast::hw::experiments
