/// What two ends say to each other out of band, over whatever carries it: a TCP connection
/// (exchange.hpp) or MPI (ranks.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace qpcast::hw {

/// What went wrong between the two nodes, where, and what to look at.
class ExchangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How long a call may take, and a flag that ends it early (Interrupted).
struct Patience {
  template <class Rep, class Period>
  Patience(std::chrono::duration<Rep, Period> limit,
           const std::atomic<bool>* stop = nullptr)  // NOLINT: a duration is a patience
      : time{std::chrono::duration_cast<std::chrono::milliseconds>(limit)}, interrupted{stop} {}
  std::chrono::milliseconds time;
  const std::atomic<bool>* interrupted;
};

/// Messages of at most `largest_message` bytes, in order. Every call has a deadline.
/// Errors: ExchangeError, Interrupted.
class Dialogue {
 public:
  static constexpr std::size_t largest_message = std::size_t{64} * 1024;
  Dialogue() = default;
  virtual ~Dialogue() = default;
  Dialogue(Dialogue&&) = default;
  Dialogue& operator=(Dialogue&&) = default;
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  virtual void send(std::string_view message, Patience patience) = 0;
  virtual std::string receive(Patience patience) = 0;
  /// Sends ours and returns theirs.
  std::string trade(std::string_view ours, Patience patience) {
    send(ours, patience);
    return receive(patience);
  }
};

}  // namespace qpcast::hw
