#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Message rate over the number of queue pairs that one thread fills.
void queues(const Scope& scope, Plan& plan) {
  const std::vector<int> counts =
      scope.full ? std::vector{1, 2, 4, 8, 16, 32} : std::vector{1, 4, 16};
  for (const int qps : counts)
    for (const int batch : {1, 16}) {
      if (!scope.full && batch == 1) continue;
      plan.add(
          "queues",
          fmt::format("submitter=host;qps={};batch={};payload=8;window={}", qps, batch, 64 * qps),
          Method::rate);
    }
}

}  // namespace qpcast::hw::experiments
