/// One timed pass over a link. Every pass writes a fresh pattern, and its payload is validated at
/// the peer afterwards; a wrong byte is an error, not a row.
///
/// Times are microseconds of the steady clock, rates millions of messages per second.
#pragma once

#include <chrono>
#include <vector>

#include "hw/experiments/link.hpp"

namespace qpcast::hw {

/// A fresh pattern on this side and zeroes on the other. @return the pattern's seed
std::uint64_t prepare_payload(Link& link);
/// @throws TransportError for the first wrong byte at the peer after `requests` writes
void validate_payload(Link& link, std::uint64_t seed, std::uint64_t requests);

struct PassBudget {
  std::chrono::milliseconds time{100};
  std::size_t samples = 20000;  ///< at most
};

struct Latencies {
  std::vector<double> issue;       ///< us per request, of short bursts
  std::vector<double> completion;  ///< us from the start of a lone put to its completion
};
Latencies latency_pass(Link& link, const PassBudget& budget);

/// Keeps `window` requests outstanding over all queues, `visit` at a time on each.
/// @return messages per microsecond, from the first submission to the last completion
double rate_pass(Link& link, const PassBudget& budget, std::uint64_t visit);

struct RoundTrips {
  std::vector<double> times;  ///< us
  double carried_rate = 0;    ///< of the bulk traffic, messages per microsecond
};
struct Load {
  std::uint64_t backlog = 0;  ///< bulk requests queued ahead of each probe
  std::size_t bulk_queue = 0;
  std::size_t probe_queue = 0;  ///< the same: the probe waits behind the bulk traffic
};
/// A ping to the peer's echo and back. The link's queue pair 0 must carry the probe.
RoundTrips round_trip_pass(Link& link, const PassBudget& budget, const Load& load);

}  // namespace qpcast::hw
