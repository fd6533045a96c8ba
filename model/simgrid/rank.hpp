/// One rank of an exchange: submitting side, NIC, and what it saw.
#pragma once

#include <deque>
#include <vector>

#include "model/simgrid/engine.hpp"
#include "model/simgrid/exchange.hpp"
#include "model/simgrid/issuer.hpp"

namespace qpcast::simgrid {

struct Rank {
  Rank(const Scene& scene, const SimulationOptions& options, std::vector<QueueLoad> queues,
       std::uint64_t seed)
      : random{seed},
        issuer{scene, options, std::move(queues), random.bits()},
        engine{scene, static_cast<std::uint32_t>(std::max<std::size_t>(1, issuer.queue_count())),
               options.replacement, random} {
    engine.warm_up();
    times.queue_pairs = static_cast<std::uint32_t>(issuer.queue_count());
  }
  Random random;
  Issuer issuer;
  Engine engine;
  double receiver_free = 0;  ///< the message engine, on what arrives
  bool engine_runs = false;  ///< an event will look at what is pending
  RankTimes times;

  void ring(const Doorbell& d) { pending.push_back({d, d.messages}); }
  /// At most so many messages of the queue pair whose turn it is.
  struct Piece {
    Doorbell doorbell;
    std::uint32_t messages;
    bool last;
  };
  Piece next_piece(std::uint32_t most) {
    auto waiting = pending.front();
    pending.pop_front();
    const auto n = std::min(most, waiting.left);
    waiting.left -= n;
    if (waiting.left > 0) pending.push_back(waiting);
    return {waiting.doorbell, n, waiting.left == 0};
  }
  bool idle() const { return pending.empty(); }

 private:
  struct Waiting {
    Doorbell doorbell;
    std::uint32_t left;
  };
  std::deque<Waiting> pending;  ///< doorbells whose messages the NIC has yet to send
};

}  // namespace qpcast::simgrid
