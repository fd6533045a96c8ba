#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// A probe beside bulk traffic: behind it in a shared ring, or in a ring of its own with the same
/// worker. Each background CTA stands for 32 outstanding bulk requests.
void loaded_round_trip(const Scope& scope, Plan& plan) {
  const std::vector<int> loads = scope.full ? std::vector{1, 2, 4, 8, 16} : std::vector{1, 8};
  for (const int ctas : loads)
    for (const auto* queue : {"shared", "private"})
      plan.add("loaded round trip",
               fmt::format("library=mini-proxy;submitter=proxy;threads=1;workers=1;rings=2;qps=1;"
                           "batch=4;payload=8;handoff=tuned;background_ctas={};queue={};window={}",
                           ctas, queue, 32 * ctas),
               Method::round_trip);
}

}  // namespace qpcast::hw::experiments
