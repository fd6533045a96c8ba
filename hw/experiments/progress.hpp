/// A progress bar with the time left, on stderr; plain lines when that is no terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace qpcast::hw {

class Progress {
 public:
  /// @param total  points to measure
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Point number `done` (from 0) begins.
  void at(std::size_t done, const std::string& what);
  /// A line of its own above the bar.
  void say(const std::string& line);

 private:
  void clear() const;
  std::size_t total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool terminal_;
};

}  // namespace qpcast::hw
