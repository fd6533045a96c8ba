/// The imposed service rate: when the engine will have finished what it has taken.
///
/// The engine owes 1/rate per message and a fixed time per context that it fetched. Time that the
/// operating system takes from its thread while messages wait is caught up, so that over a busy
/// period the rate is exact; time without work is not saved up. Unit: us.
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
    const double due = 1 + (now - free_at_) / service_;
    return due < most ? static_cast<std::uint32_t>(due) : most;
  }
  void took(std::uint32_t messages, double extra) { free_at_ += messages * service_ + extra; }
  /// Nothing waits.
  void idle(double now) { free_at_ = std::max(free_at_, now); }

 private:
  double service_;
  double free_at_ = 0;
};

}  // namespace qpcast::hw::emulated
