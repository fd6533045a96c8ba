/// What a workload on a fabric takes, as a simulation saw it. Times in us from its start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/prediction.hpp"

namespace qpcast {

/// A quantity over the ranks that have it.
struct Spread {
  double least = 0, p50 = 0, mean = 0, p99 = 0, most = 0;
};

struct RankReport {
  std::uint32_t rank = 0, queue_pairs = 0;
  std::uint64_t sent = 0, received = 0;
  double issue_end = 0, last_arrival = 0, completed = 0;
  double nic_rate = 0;  ///< messages per us while it was sending
};

struct WorkloadReport {
  std::string workload, pattern, fabric, platform;
  Layout layout;  ///< how each rank submits
  std::uint32_t ranks = 0;
  std::uint64_t messages = 0, doorbells = 0, cache_misses = 0, seed = 0;
  Bytes payload;
  Spread issue_end;                  ///< of ranks that send
  Spread completed;                  ///< of ranks that send
  Spread last_arrival;               ///< of ranks that receive
  Spread nic_rate;                   ///< Mmsg/s, of ranks that send
  double duration = 0;               ///< until the last payload is visible
  std::uint32_t slowest = 0;         ///< the rank it is for
  std::vector<StationLoad> busiest;  ///< submitters, engines and links, over the duration
  SimulatedLatency latency;          ///< of a message: its call begins to its payload visible
  std::vector<RankReport> per_rank;
  std::vector<std::string> warnings;
};

}  // namespace qpcast
