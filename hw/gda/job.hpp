/// What a kernel is asked to do, and what it reports. Host and device read the same structures.
#pragma once

#include "hw/gda/failure.hpp"
#include "hw/gda/queue_pair.hpp"
#include "model/layout.hpp"

namespace qpcast::hw::gda {

/// Times of a run by the GPU's own clocks; GPU memory.
struct Report {
  unsigned long long first = ~0ULL;  ///< globaltimer when the first thread started, ns
  unsigned long long last = 0;       ///< when the last completion was seen, ns
  unsigned long long cycles = 0;     ///< of the SM's clock over thread 0's run
  unsigned long long elapsed = 0;    ///< the same in globaltimer ns: cycles/elapsed is the SM clock
  std::uint32_t failure = 0;         ///< Failure
};

/// How the threads of a rate run use the queue pairs.
struct Job {
  const QueuePair* qps = nullptr;
  std::uint32_t qp_count = 1;
  std::uint32_t threads = 1;
  std::uint64_t messages = 0;  ///< per thread; a multiple of the batch
  std::uint32_t batch = 1;     ///< messages per doorbell of an owner
  std::uint32_t each = 1;      ///< messages per lane and doorbell of a warp
  Writes writes;
  Report* report = nullptr;
  std::uint64_t patience_ns = 0;
};

/// Lone operations: one thread, queue pair 0.
struct LatencyJob {
  const QueuePair* qps = nullptr;
  std::uint32_t configured = 1;  ///< queue pairs that the completion scope visits
  std::uint32_t samples = 0;
  Writes writes;
  std::uint32_t* issue = nullptr;     ///< clock cycles until the put returns, per sample
  std::uint32_t* complete = nullptr;  ///< clock cycles until its scope is complete
  Report* report = nullptr;
  std::uint64_t patience_ns = 0;
};

/// A ping on queue pair 0 and its echo on queue pair 1, 8 B each, inline.
struct RoundTripJob {
  const QueuePair* qps = nullptr;
  std::uint32_t samples = 0;
  Writes there, back;
  const std::uint64_t* arrived_there = nullptr;
  const std::uint64_t* arrived_back = nullptr;
  std::uint32_t* times = nullptr;  ///< clock cycles per round trip
  Report* report = nullptr;
  std::uint64_t patience_ns = 0;
};

/// How a kernel is to be built: each combination is one instantiation.
struct Variant {
  Publication publication = Publication::exclusive;
  Ordering ordering = Ordering::gpu;
  bool inlined = true;
  bool dc = false;  ///< exclusive only
};

/// Threads over blocks: `blocks` of `per_block`, all resident at once.
struct Grid {
  std::uint32_t blocks = 1, per_block = 1;
};

// Launches on a stream (a cudaStream_t). Errors: CudaError.
void launch_rate(const Variant& variant, const Job& job, const Grid& grid, void* stream);
void launch_latency(const Variant& variant, const LatencyJob& job, void* stream);
void launch_round_trip(Ordering ordering, const RoundTripJob& job, void* stream);

}  // namespace qpcast::hw::gda
