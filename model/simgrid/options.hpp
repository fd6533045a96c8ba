/// What a simulation is asked beside the layout: seed, stopping rule, and what no layout says.
///
/// Stopping: after `warm_up` messages, the rate is averaged over consecutive batches of messages
/// (batch means); the run ends when the 95 % confidence interval of their mean is narrower than
/// +- `half_width` of it, or when `messages` have been simulated, whichever is first.
#pragma once

#include <cstdint>
#include <string>

#include "model/simgrid/context_cache.hpp"

namespace qpcast {

struct SimulationOptions {
  std::uint64_t seed = 1;
  std::uint64_t messages = 1'000'000;  ///< budget, warm-up included; at least 1,000
  double half_width = 0.005;         ///< relative, of the rate's 95 % interval; 0: spend the budget
  double warm_up = 0.1;              ///< fraction of the budget that is discarded, 0..0.9
  std::uint32_t probes = 64;         ///< round trips a loaded probe makes at most
  std::uint32_t lone_probes = 2000;  ///< round trips of a probe that has the machine to itself
  simgrid::Replacement replacement = simgrid::Replacement::random;
  bool cyclic_visits = false;  ///< connections are visited in turn, not at random
  /// Coefficient of variation of one lane's (thread's) time to build a WQE. No source states it;
  /// at this value the drift it causes triples the time of P-IB's gin-gdaki warps, as measured.
  double lane_jitter = 0.03;
  std::uint32_t send_queue = 1024;      ///< WQEs a queue pair holds; at least a batch
  std::uint32_t ring = 1U << 20U;       ///< descriptors a proxy ring holds; at least 1
  std::string trace;                    ///< file for a Chrome trace; empty: none
  std::uint32_t trace_events = 20'000;  ///< spans the trace holds at most
};

}  // namespace qpcast
