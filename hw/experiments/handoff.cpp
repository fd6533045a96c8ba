#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// How a descriptor reaches the ring: baseline against tuned, alone and in a stream.
void handoff(const Scope& scope, Plan& plan) {
  for (const int rings : {1, 4})
    plan.add("handoff",
             fmt::format("library=mini-proxy;submitter=proxy;workers=1;rings={};qps=1;batch=4;"
                         "payload=8;handoff=baseline;{}",
                         rings, scope.producers(rings, 128)),
             Method::rate);
  for (const auto* handoff : {"baseline", "tuned"})
    for (const auto method : {Method::latency, Method::round_trip})
      plan.add("handoff",
               fmt::format("library=mini-proxy;submitter=proxy;threads=1;workers=1;rings=1;qps=1;"
                           "batch=1;payload=8;handoff={}",
                           handoff),
               method);
}

}  // namespace qpcast::hw::experiments
