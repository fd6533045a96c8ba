/// When a channel whose polls find nothing should ask whether something happened to its device.
///
/// By time and not by polls: a waiting thread backs off, so that a number of polls may take
/// seconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace qpcast::hw {

class IdleWatch {
 public:
  /// A poll found something.
  void busy() { idle_ = 0; }
  /// A poll found nothing. @return it is time to ask
  bool due() {
    constexpr std::uint32_t polls_per_look = 64;  // reading the clock costs as much as a poll
    constexpr std::chrono::milliseconds pause{5};
    if (++idle_ % polls_per_look != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < pause) return false;
    asked_ = now;
    return true;
  }

 private:
  std::uint32_t idle_ = 0;
  std::chrono::steady_clock::time_point asked_;
};

}  // namespace qpcast::hw
