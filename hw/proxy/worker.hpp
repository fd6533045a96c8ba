/// A proxy worker: polls its rings, chains what it finds into posts on its queue pairs, and counts
/// completions back to each ring.
///
/// One pass over a lane costs a + b n: a poll of the completion queue and one post (a), n requests
/// to translate (b). A chain is signalled when its ring has run empty, when a quarter of the queue
/// is unsignalled, or when the queue is nearly full; a completion retires everything before it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <stop_token>
#include <vector>

#include "hw/nic/nic.hpp"
#include "hw/proxy/ring.hpp"

namespace qpcast::hw {

struct WorkerOptions {
  std::uint32_t batch = 1;         ///< requests per post, at most
  std::uint32_t depth = 128;       ///< of each channel
  std::uint32_t inline_up_to = 0;  ///< B; payloads up to this go inside the WQE
  /// A count that workers share, touched on every request as a shared library context would be.
  std::atomic<std::uint64_t>* shared_refcount = nullptr;
};

class Worker {
 public:
  /// One queue pair and the rings whose requests go through it.
  struct Assignment {
    Channel* channel = nullptr;
    std::vector<RingView> rings;
  };

  Worker(const std::vector<Assignment>& assignments, const WorkerOptions& options);

  /// Serves until asked to stop. @throws DeviceError from the channel
  void run(const std::stop_token& stop);

  /// Grows with every pass; a watcher tells a stalled worker from a silent NIC by it.
  std::uint64_t heartbeat() const { return heartbeat_.load(std::memory_order_relaxed); }
  /// Requests posted and not completed.
  std::uint64_t outstanding() const { return outstanding_.load(std::memory_order_relaxed); }

 private:
  struct Chain {
    std::size_t ring;
    std::uint32_t count;
    std::uint64_t id;
  };
  struct Lane {
    Channel* channel;
    std::vector<Consumer> rings;
    std::deque<Chain> chains;
    std::uint32_t outstanding = 0;
    std::uint32_t unsignalled = 0;
    std::uint64_t next_id = 1;
  };

  bool reap(Lane& lane);
  bool forward(Lane& lane, std::size_t ring);
  WorkRequest translate(const Request& request) const;

  WorkerOptions options_;
  std::vector<Lane> lanes_;
  std::vector<Request> taken_;
  std::vector<WorkRequest> chain_;
  std::vector<Completed> completions_;
  std::atomic<std::uint64_t> heartbeat_{0};
  std::atomic<std::uint64_t> outstanding_{0};
};

}  // namespace qpcast::hw
