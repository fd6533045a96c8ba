#include "hw/experiments/interrupt.hpp"

#include <array>
#include <cstddef>

namespace qpcast::hw {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing but what has static storage.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note(int) { interrupted = true; }

}  // namespace

InterruptScope::InterruptScope() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = note;
  // One shot: the default action is back for the second signal.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (std::size_t i = 0; i < signals.size(); ++i)
    ::sigaction(signals.at(i), &action, &previous_[i]);
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < signals.size(); ++i)
    ::sigaction(signals.at(i), &previous_[i], nullptr);
}

const std::atomic<bool>& InterruptScope::flag() { return interrupted; }

}  // namespace qpcast::hw
