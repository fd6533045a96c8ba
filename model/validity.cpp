#include "model/validity.hpp"

#include <fmt/format.h>

namespace qpcast {

namespace {

void expect(std::vector<std::string>& warnings, const char* key, double value, double lo,
            double hi) {
  if (value < lo || value > hi)
    warnings.push_back(
        fmt::format("{}={} is outside the calibrated range {}..{}", key, value, lo, hi));
}

}  // namespace

void add_range_warnings(const Setup& s, std::vector<std::string>& warnings) {
  expect(warnings, "clock_mhz", s.clock_mhz, 502, 2062);
  expect(warnings, "active_qps", s.active_qps, 1, 32768);
  if (s.gpu_builds()) {
    expect(warnings, "threads", s.threads, 1, 16384);
    expect(warnings, "threads per SM", s.threads / s.sms, 1, 1024);
    if (s.active_qps <= s.qps) expect(warnings, "qps", s.qps, 1, 528);
    if (s.queue_depth > 0 && s.window < unlimited && s.window > s.queue_depth)
      warnings.push_back(fmt::format("window={} does not fit queue_depth={}: a thread waits at {}",
                                     s.window, s.queue_depth, s.queue_depth));
  } else {
    expect(warnings, "workers", s.workers, 1, 8);
    expect(warnings, "rings", s.rings, 1, 64);
    expect(warnings, "batch", s.batch, 1, 16);
  }
}

}  // namespace qpcast
