/// Waiting for memory to change: spin, and after a while sleep.
///
/// Only spinning answers within a microsecond, and on a machine with a processor for every thread
/// nothing else happens. Where threads share processors, a spinner keeps the one that it waits for
/// off the processor for a scheduler tick (4 ms), yield or not; a short sleep lets it run, and the
/// wake-up moves the sleeper to an idle processor.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace qpcast::hw {

class Backoff {
 public:
  enum class Kind : std::uint8_t {
    prompt,   ///< latency counts: spins and yields for 2 ms, sleeps 20 us, and again
    patient,  ///< throughput counts: after 50 us, sleeps for half as long as the last wait took
  };
  explicit Backoff(Kind kind = Kind::prompt) : kind_{kind} {}

  /// What was waited for has come.
  void reset() {
    if (slept_) last_wait_ = Clock::now() - since_;
    slept_ = false;
    looks_ = 0;
  }

  void pause() {
    if (looks_++ == 0) since_ = spinning_since_ = Clock::now();
    if (looks_ % 16 != 0 && last_wait_ < long_wait) return;
    if (last_wait_ < long_wait && Clock::now() - spinning_since_ < spin_time()) {
      if (looks_ >= 256) std::this_thread::yield();
      return;
    }
    sleep();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds long_wait{500};

  Clock::duration spin_time() const {
    return std::chrono::microseconds{kind_ == Kind::prompt ? 2000 : 50};
  }
  void sleep() {
    using std::chrono::microseconds;
    constexpr Clock::duration shortest = microseconds{20}, longest = microseconds{5000};
    if (kind_ == Kind::prompt) {
      std::this_thread::sleep_for(shortest);
      spinning_since_ = Clock::now();
      return;
    }
    if (!slept_) next_sleep_ = last_wait_ / 2;
    slept_ = true;
    std::this_thread::sleep_for(std::clamp(next_sleep_, shortest, longest));
    next_sleep_ /= 2;
  }

  Kind kind_;
  std::uint32_t looks_ = 0;
  bool slept_ = false;
  Clock::time_point since_, spinning_since_;
  Clock::duration last_wait_{}, next_sleep_{};
};

}  // namespace qpcast::hw
