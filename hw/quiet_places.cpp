#include "hw/quiet_places.hpp"

#include <algorithm>
#include <utility>

namespace qpcast::hw {

QuietPlaces::QuietPlaces(std::vector<int> cpus, Observe observe)
    : cpus_{std::move(cpus)},
      observe_{std::move(observe)},
      places_{places_beside_a_software_nic(cpus_)} {}

double QuietPlaces::look(int cpu) {
  const double mhz = observe_(cpu);
  best_ = std::max(best_, mhz);
  return mhz;
}

/// A shared core gives 0.5 to 0.7 of its speed; clocks that depend on how many cores are busy
/// differ by 0.1.
bool QuietPlaces::quick(double mhz) const { return mhz >= 0.85 * best_; }

bool QuietPlaces::held() {
  if (places_.nic < 0) return true;
  const double nic = look(places_.nic), producer = look(places_.producer);
  return quick(std::min(nic, producer));
}

const Places& QuietPlaces::choose() {
  if (places_.nic < 0) return places_;
  quiet_ = best_ > 0 && held() && quick(look(places_.workers.front()));
  if (quiet_) return places_;
  std::vector<std::pair<double, int>> seen;
  for (const int cpu : cpus_) seen.emplace_back(look(cpu), cpu);
  // Those at full speed are equal, and stay in their order.
  std::ranges::stable_sort(seen, [&](const auto& a, const auto& b) {
    if (quick(a.first) != quick(b.first)) return quick(a.first);
    return !quick(a.first) && a.first > b.first;
  });
  places_ = {seen[0].second, seen[1].second, {}};
  quiet_ = quick(seen[1].first);
  for (std::size_t i = 2; i < seen.size(); ++i) places_.workers.push_back(seen[i].second);
  return places_;
}

}  // namespace qpcast::hw
