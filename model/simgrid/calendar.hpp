/// Event calendar: what happens next, in time order, ties in the order they were scheduled.
///
/// One event is 24 B; memory grows with agents (each has at most a few pending events), not with
/// messages. Times in microseconds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace qpcast::simgrid {

/// What an event means is its agent's business; `kind` and `agent` say where to deliver it.
struct Event {
  double time = 0;
  std::uint32_t sequence = 0;
  std::uint32_t agent = 0;
  std::uint32_t detail = 0;
  std::uint8_t kind = 0;
};

class Calendar {
 public:
  void schedule(double time, std::uint8_t kind, std::uint32_t agent, std::uint32_t detail = 0) {
    heap_.push_back({time, sequence_++, agent, detail, kind});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  double next_time() const { return heap_.front().time; }
  Event pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event e = heap_.back();
    heap_.pop_back();
    return e;
  }

 private:
  static bool later(const Event& a, const Event& b) {
    // The difference of wrapped sequence numbers orders events that share a time.
    return a.time > b.time ||
           (a.time == b.time && static_cast<std::int32_t>(a.sequence - b.sequence) > 0);
  }
  std::vector<Event> heap_;
  std::uint32_t sequence_ = 0;
};

}  // namespace qpcast::simgrid
