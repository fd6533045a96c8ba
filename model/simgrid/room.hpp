/// Slots of the queue pairs that several streams share, given out in the order of requests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace qpcast::simgrid {

class Room {
 public:
  /// @param slots  WQEs that each queue pair holds
  Room(std::uint32_t queues, std::uint32_t slots) : slots_{slots}, queues_(queues) {
    for (auto& q : queues_) q.free = slots;
  }
  /// Takes n slots, all of them if the queue pair has fewer. @return false: `who` waits, and `next`
  /// will name it
  bool take(std::uint32_t queue, std::uint32_t who, std::uint32_t n) {
    auto& q = queues_[queue];
    n = std::min(n, slots_);
    if (q.free < n || !q.waiting.empty()) {
      q.waiting.push_back({who, n});
      return false;
    }
    q.free -= n;
    return true;
  }
  void give(std::uint32_t queue, std::uint32_t n) {
    auto& q = queues_[queue];
    q.free = std::min(slots_, q.free + n);
  }
  /// Whoever has waited longest, now with its slots, if they are free.
  std::optional<std::uint32_t> next(std::uint32_t queue) {
    auto& q = queues_[queue];
    if (q.waiting.empty() || q.free < q.waiting.front().n) return std::nullopt;
    const auto first = q.waiting.front();
    q.waiting.pop_front();
    q.free -= first.n;
    return first.who;
  }

 private:
  struct Waiter {
    std::uint32_t who, n;
  };
  struct Queue {
    std::uint32_t free = 0;
    std::deque<Waiter> waiting;
  };
  std::uint32_t slots_;
  std::vector<Queue> queues_;
};

}  // namespace qpcast::simgrid
