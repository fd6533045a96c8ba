/// SIGINT, SIGTERM and SIGHUP as a flag that every wait looks at.
#pragma once

#include <csignal>

#include <atomic>

namespace qpcast::hw {

/// Installs the handlers and restores them. A second signal ends the process at once.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  static const std::atomic<bool>& flag();

 private:
  struct sigaction previous_[3]{};
};

}  // namespace qpcast::hw
