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

/// Effects of the simulation that a diagnosis switches off, to show that one of them, and nothing
/// else, parts the simulation from the closed form.
struct Ablation {
  bool eviction = false;  ///< a context stays for the whole of a visit
  bool turns = false;     ///< a thread builds its next batch while the last one waits for its turn
  bool lock = false;      ///< shared host state bounds the rate, but nobody waits for it before
  bool chains = false;    ///< workers wait for whole chains
};

struct SimulationOptions {
  std::uint64_t seed = 1;
  std::uint64_t messages = 1'000'000;  ///< budget, warm-up included; at least 1,000
  double half_width = 0.005;         ///< relative, of the rate's 95 % interval; 0: spend the budget
  double warm_up = 0.1;              ///< fraction of the budget that is discarded, 0..0.9
  std::uint32_t probes = 1000;       ///< round trips a loaded probe makes at most
  std::uint32_t lone_probes = 2000;  ///< round trips of a probe that has the machine to itself
  simgrid::Replacement replacement = simgrid::Replacement::random;
  bool cyclic_visits = false;  ///< connections are visited in turn, not at random
  /// Coefficient of variation of one lane's (thread's) time to build a WQE. No source states it:
  /// 2 % was chosen after seeing the published drift gain of P-IB's gin-gdaki (a factor of three),
  /// so that row does not test the size of the drift. There, warps keep together at
  /// 0.5 %; above, the gain is 3.3 at 1.5 %, 2.8 at 2 %, 2.4 at 3 % and 1.6 at 10 %: the later a
  /// lane may be, the more slots are built when its turn comes.
  double lane_jitter = 0.02;
  /// WQEs a queue pair holds; at least a batch. More where the layout names neither threads nor
  /// depth: then there are as many of both as saturate the NIC.
  std::uint32_t send_queue = 1024;
  std::uint32_t ring = 1U << 20U;       ///< descriptors a proxy ring holds; at least 1
  Ablation off;                         ///< nothing, outside a diagnosis
  std::string trace;                    ///< file for a Chrome trace; empty: none
  std::uint32_t trace_events = 20'000;  ///< spans the trace holds at most
  double trace_from = 0;                ///< us; spans that end before are left out
};

}  // namespace qpcast
