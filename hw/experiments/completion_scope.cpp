#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Waiting for one queue pair against visiting all that are configured.
void completion_scope(const Scope& scope, Plan& plan) {
  const std::vector<int> counts = scope.full ? std::vector{1, 2, 4, 8, 16, 32} : std::vector{1, 16};
  for (const int qps : counts)
    for (const auto* completion : {"per-qp", "all-qp"}) {
      if (scope.no_gpu.empty())
        plan.add("completion scope",
                 fmt::format("submitter=gpu;qps={};threads=1;sms=1;batch=1;payload=8;inline=1;"
                             "ordering=gpu;completion={}",
                             qps, completion),
                 Method::latency);
      plan.add(
          "completion scope",
          fmt::format("submitter=host;qps={};batch=1;payload=8;completion={}", qps, completion),
          Method::latency);
    }
}

}  // namespace qpcast::hw::experiments
