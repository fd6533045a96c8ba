/// The imposed service rate: when the engine will have finished what it has taken.
///
/// The engine owes 1/rate per message and a fixed time per context that it fetched. Time that the
/// operating system takes from its thread is caught up, but only by messages that were seen to wait
/// before it: while something waits the rate is exact, and it is never exceeded. Unit: us.
#pragma once

#include <algorithm>
#include <cstdint>

namespace qpcast::hw::emulated {

class Pacer {
 public:
  /// @param rate  messages/us; 0: no limit
  explicit Pacer(double rate) : service_{rate > 0 ? 1 / rate : 0} {}

  /// How many messages may be taken now, at most `most`.
  std::uint32_t allowance(double now, std::uint32_t most) const {
    if (now < free_at_) return 0;
    if (service_ == 0) return most;
    most = std::min(most, std::max(waiting_, 1U));
    const double due = 1 + (now - free_at_) / service_;
    return due < most ? static_cast<std::uint32_t>(due) : most;
  }
  void took(double now, std::uint32_t messages, double extra) {
    if (messages > waiting_) free_at_ = std::max(free_at_, now);  // it has come only now
    waiting_ -= std::min(waiting_, messages);
    free_at_ += messages * service_ + extra;
  }
  /// What waits at the end of a look at every queue. What has come since the last look is not
  /// served before those that waited then are, nor before now.
  void seen(double now, std::uint32_t waiting) {
    if (waiting > waiting_) free_at_ = std::max(free_at_, now - waiting_ * service_);
    waiting_ = waiting;
  }

 private:
  double service_;
  double free_at_ = 0;
  std::uint32_t waiting_ = 0;
};

}  // namespace qpcast::hw::emulated
