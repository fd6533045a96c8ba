/// Exchange: the NICs of all ranks and the fabric between them, in one phase of a workload.
///
/// Per burst, not per message: a burst is a doorbell's messages, or of those as many as a queue
/// pair may send before the next one's turn (the fabric's quantum, in bytes; small writes never
/// reach it). It passes the sender's engine (engine.hpp), the links of its route and the receiver's
/// engine. The wire is played in one of two ways over the same zones:
///
///   stations  every link serves bursts first come, first served and cuts through; a full port
///             stops the link behind it, and the first link the sender's engine (one virtual
///             lane), so an incast blocks what stands behind it. Constant time per burst and link.
///   flows     every burst is a SimGrid communication of an actor per NIC: links are shared
///             max-min fairly, a burst runs at most at its engine's speed, and a NIC has as many
///             under way as a port's buffer holds, and one. Independent of the stations, and checks
///             them; cost grows with the flows that share links, so it is for tens of ranks.
///
/// A link's latency, and what lies beyond the wire, is the pipeline's, plus a hop per further
/// switch. Contexts are on the NIC at the start, as many as fit: the phase has run before.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/fabric/fabric.hpp"
#include "model/fabric/workload.hpp"
#include "model/simgrid/histogram.hpp"
#include "model/simgrid/options.hpp"
#include "model/simgrid/scene.hpp"

namespace qpcast::simgrid {

enum class Wire : std::uint8_t { stations, flows };

/// What one rank saw, us from the start of the phase. Trivially copyable: it crosses a pipe.
struct RankTimes {
  double issue_end = 0;     ///< its last doorbell rang
  double completed = 0;     ///< its last completion was noticed
  double last_arrival = 0;  ///< the last payload for it is visible
  double sending = 0;       ///< until its last message left
  std::uint64_t sent = 0, received = 0;
  std::uint32_t queue_pairs = 0;
  double engine_busy = 0;
};

struct LinkLoad {
  std::string name;
  double busy = 0;  ///< us
};

struct ExchangeResult {
  std::vector<RankTimes> ranks;
  std::vector<LinkLoad> links;  ///< the busiest first, a handful
  std::uint64_t doorbells = 0, misses = 0;
  double wire_bytes = 0;  ///< of one message
  Histogram latency;      ///< of a message: its call begins to its payload visible, us
};

/// @param queues_of  the queue pairs of a rank (asked once per rank)
/// Runs in this process, under SimGrid: call it once, from a process made for it.
ExchangeResult simulate_exchange(
    const Scene& scene, const SimulationOptions& options, const Fabric& fabric, std::uint32_t ranks,
    std::uint32_t gpus_per_node, double line,
    const std::function<std::vector<QueueLoad>(std::uint32_t)>& queues_of, Wire wire);

/// To bytes and back, for the way between processes.
std::string to_bytes(const ExchangeResult& result);
ExchangeResult exchange_from_bytes(const std::string& bytes);

}  // namespace qpcast::simgrid
