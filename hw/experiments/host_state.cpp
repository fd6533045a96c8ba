#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// The host's operating state before a pass: idle long enough to clock down, or loaded long enough
/// to clock up. Takes minutes, hence only in the full plan.
void host_state(const Scope& scope, Plan& plan) {
  constexpr auto name = "host state";
  if (!scope.full) return plan.skip(name, "45 s of idleness before each pass; in --plan full");
  for (const auto* state : {"cold", "warm"})
    for (const auto method : {Method::round_trip, Method::rate})
      plan.add(name,
               fmt::format("library=mini-proxy;submitter=proxy;threads=1;workers=1;rings=1;qps=1;"
                           "batch=1;payload=8;handoff=tuned;host_state={}{}",
                           state, method == Method::rate ? ";window=128" : ""),
               method);
}

}  // namespace qpcast::hw::experiments
