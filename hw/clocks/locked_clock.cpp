#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "hw/clocks/clock_control.hpp"

namespace qpcast::hw {

std::vector<std::uint32_t> clocks_to_sweep(const std::vector<std::uint32_t>& supported,
                                           std::size_t count) {
  if (supported.empty() || count == 0) return {};
  constexpr double slowest_share = 0.27;
  const double fastest = supported.back();
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    const double down = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
    const double wanted = fastest * (1 - down * (1 - slowest_share));
    const auto nearest = *std::ranges::min_element(
        supported, {}, [&](std::uint32_t mhz) { return std::abs(mhz - wanted); });
    if (std::ranges::find(chosen, nearest) == chosen.end()) chosen.push_back(nearest);
  }
  std::ranges::sort(chosen);
  return chosen;
}

LockedClock::LockedClock(ClockControl& control, std::uint32_t mhz) : control_{control} {
  control_.lock(mhz);
}

LockedClock::~LockedClock() {
  try {
    control_.reset();
  } catch (const std::exception& error) {
    // Whatever else went wrong is on its way already; the user must know of this too.
    fmt::print(stderr, "warning: the SM clock is still locked ({}); 'nvidia-smi -rgc' resets it\n",
               error.what());
  }
}

}  // namespace qpcast::hw
