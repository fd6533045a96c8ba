/// Agenda: the events to come, earliest first. Equal times keep the order of scheduling, so a run
/// is a function of its seed. Four-way heap; no allocation once it has grown to its working size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qpcast::simgrid {

enum class EventKind : std::uint32_t {
  admitted,        ///< a stream's credit allows its next batch
  built,           ///< a stream or round finished building
  doorbell,        ///< the exclusive section ended, the NIC learns of the batch
  lane_ready,      ///< a drifting lane finished its WQE
  section_read,    ///< a drifting queue's publisher reads how far the slots are built
  section_ended,   ///< a drifting queue's section ended
  flushed,         ///< completions were noticed: lanes go on, or slots are free
  handed_off,      ///< a producer's descriptor is in its ring
  worker_ready,    ///< a proxy worker looks at its rings
  posted,          ///< a worker's post reaches the NIC
  returned,        ///< a producer learns of its completion
  probe_admitted,  ///< the probe's earlier messages are flushed, its call begins
  probe_issued,    ///< the probe's call has built its request
  probe_doorbell,  ///< the probe's section ended
  probe_start,     ///< the probe (or its echo) starts the next message
};

struct Event {
  double time;  ///< us
  std::uint64_t order;
  EventKind kind;
  std::uint32_t index;
  bool before(const Event& other) const {
    return time < other.time || (time == other.time && order < other.order);
  }
};

class Agenda {
 public:
  void at(double time, EventKind kind, std::uint32_t index) {
    heap_.push_back({time, order_++, kind, index});
    rise(heap_.size() - 1);
  }
  bool empty() const { return heap_.empty(); }
  const Event& next() const { return heap_.front(); }
  Event take() {
    const auto first = heap_.front();
    const auto last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  static constexpr std::size_t ways = 4;

  void rise(std::size_t at) {
    const auto moving = heap_[at];
    while (at > 0) {
      const auto parent = (at - 1) / ways;
      if (!moving.before(heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = moving;
  }
  void sink(const Event& moving) {
    const auto size = heap_.size();
    std::size_t at = 0;
    for (auto child = at * ways + 1; child < size; child = at * ways + 1) {
      auto best = child;
      const auto end = child + ways < size ? child + ways : size;
      for (auto other = child + 1; other < end; ++other)
        if (heap_[other].before(heap_[best])) best = other;
      if (!heap_[best].before(moving)) break;
      heap_[at] = heap_[best];
      at = best;
    }
    heap_[at] = moving;
  }

  std::vector<Event> heap_;
  std::uint64_t order_ = 0;
};

}  // namespace qpcast::simgrid
