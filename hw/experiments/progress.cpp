#include "hw/experiments/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace qpcast::hw {

namespace {
constexpr std::size_t width = 30;
}

Progress::Progress(std::size_t total) : total_{total}, terminal_{::isatty(STDERR_FILENO) == 1} {}

Progress::~Progress() { clear(); }

void Progress::clear() const {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::say(const std::string& line) {
  clear();
  std::fputs((line + "\n").c_str(), stderr);
}

void Progress::at(std::size_t done, const std::string& what) {
  const auto elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const auto left = done == 0 ? std::string{"?"}
                              : fmt::format("{:.0f} s", elapsed / static_cast<double>(done) *
                                                            static_cast<double>(total_ - done));
  if (!terminal_) {
    std::fputs(fmt::format("[{}/{}, {} left] {}\n", done + 1, total_, left, what).c_str(), stderr);
    return;
  }
  const auto filled = total_ == 0 ? width : width * done / total_;
  clear();
  std::fputs(fmt::format("[{}{}] {}/{}, {} left: {:.60}", std::string(filled, '#'),
                         std::string(width - filled, '.'), done + 1, total_, left, what)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace qpcast::hw
