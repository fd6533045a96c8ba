#include "hw/experiments/undisturbed.hpp"

#include <algorithm>

namespace qpcast::hw {

std::vector<TimedPass> undisturbed(std::vector<TimedPass> passes) {
  constexpr std::size_t enough = 2;
  std::ranges::stable_sort(passes, [](const TimedPass& a, const TimedPass& b) {
    return a.shared != b.shared ? b.shared : a.mhz > b.mhz;
  });
  const auto quiet =
      static_cast<std::size_t>(std::ranges::count(passes, false, &TimedPass::shared));
  passes.resize(std::min(passes.size(), std::max(quiet, enough)));
  return passes;
}

}  // namespace qpcast::hw
