#include <fmt/format.h>

#include <algorithm>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Active connections by traffic role, and writes per visit to one. In loopback a NIC sends and
/// receives the same traffic, so that the role is bidirectional; between nodes it is send.
void connection_sweep(const Scope& scope, Plan& plan) {
  const std::vector<int> counts =
      scope.full ? std::vector{1, 4, 16, 64, 128, 256, 512} : std::vector{4, 64, 256};
  const std::vector<int> visits = scope.full ? std::vector{1, 4, 32} : std::vector{1, 32};
  for (const int active : counts)
    for (const int visit : visits)
      plan.add("connection sweep",
               fmt::format("submitter=host;active_qps={};batch={};payload=8;role={};"
                           "writes_per_visit={};window={}",
                           active, std::min(visit, 16), scope.loopback ? "bidirectional" : "send",
                           visit, active * std::max(visit, 4)),
               Method::rate);
}

}  // namespace qpcast::hw::experiments
