#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Workers T, rings R and requests per post B of mini-proxy, one queue pair per worker.
void proxy_shape(const Scope& scope, Plan& plan) {
  constexpr auto name = "proxy shape";
  const std::vector<unsigned> workers =
      scope.full ? std::vector{1U, 2U, 4U, 8U} : std::vector{1U, 2U};
  const std::vector<unsigned> per_worker = scope.full ? std::vector{1U, 4U} : std::vector{1U};
  const auto producers = [&](unsigned t, unsigned rings) {
    return scope.producers(static_cast<int>(rings), static_cast<int>(128 * t));
  };
  for (const auto t : workers) {
    // A worker polls; beyond one per processor they only take turns.
    if (t >= 2 && t + 1 > scope.processors) {
      plan.skip(name,
                fmt::format("workers={}: the machine has {} processors, one is the producer's", t,
                            scope.processors));
      continue;
    }
    for (const auto r : per_worker)
      for (const int b : {1, 4, 16})
        plan.add(name,
                 fmt::format("library=mini-proxy;submitter=proxy;workers={0};rings={1};qps={0};"
                             "batch={2};payload=8;handoff=tuned;{3}",
                             t, t * r, b, producers(t, t * r)),
                 Method::rate);
  }
  if (scope.processors > 2)
    plan.add(name,
             "library=mini-proxy;submitter=proxy;workers=2;rings=2;qps=2;batch=4;payload=8;"
             "handoff=tuned;shared_refcount=1;" +
                 producers(2, 2),
             Method::rate);
}

}  // namespace qpcast::hw::experiments
