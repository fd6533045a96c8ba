/// A shared queue pair: slots are reserved in order and published in that order.
///
/// A reservation takes the next ticket. When its WQEs are built it becomes ready; the exclusive
/// section runs for ready tickets strictly in ticket order, one at a time. A slow builder thus
/// holds back everyone who reserved after it: that is the in-order rule, and drift comes out of it.
#pragma once

#include <cstdint>
#include <vector>

namespace qpcast::simgrid {

class QueuePair {
 public:
  /// @param reservations  most tickets that can be outstanding at once (its submitters)
  explicit QueuePair(std::size_t reservations) : ready_(reservations, nobody) {}

  static constexpr std::uint32_t nobody = UINT32_MAX;

  std::uint64_t reserve() { return next_ticket_++; }
  /// Marks a ticket's WQEs as built by `submitter`.
  void built(std::uint64_t ticket, std::uint32_t submitter) { slot(ticket) = submitter; }
  /// The submitter whose section may start now, or nobody (busy, or the next ticket is not built).
  std::uint32_t startable() const {
    return busy_ ? nobody : ready_[next_published_ % ready_.size()];
  }
  void start() { busy_ = true; }
  void finish() {
    busy_ = false;
    slot(next_published_++) = nobody;
  }
  /// Tickets that wait behind an unbuilt one.
  std::uint64_t held_back() const { return next_ticket_ - next_published_; }

 private:
  std::uint32_t& slot(std::uint64_t ticket) { return ready_[ticket % ready_.size()]; }

  std::vector<std::uint32_t> ready_;
  std::uint64_t next_ticket_ = 0, next_published_ = 0;
  bool busy_ = false;
};

}  // namespace qpcast::simgrid
