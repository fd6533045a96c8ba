#include "hw/observed_clock.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/affinity.hpp"

namespace qpcast::hw {

double observed_cpu_mhz(std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t chain = 20000;  // 10 us or so
  std::vector<double> seen;
  const auto end = Clock::now() + time;
  do {
    const auto start = Clock::now();
    std::uint64_t value = 1;
    // The barrier keeps the additions apart and dependent, one per cycle.
    for (std::uint64_t i = 0; i < chain; ++i) asm volatile("" : "+r"(value += i));
    const auto us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    seen.push_back(static_cast<double>(chain) / us);
  } while (Clock::now() < end);
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::nth_element(seen.begin(), middle, seen.end());
  return *middle;
}

double observed_mhz_of(int cpu) {
  const PinnedScope pinned{cpu};
  return observed_cpu_mhz(std::chrono::milliseconds{1});
}

}  // namespace qpcast::hw
