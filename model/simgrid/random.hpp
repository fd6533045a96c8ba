/// Random numbers that are the same on every machine: SplitMix64 and explicit transforms.
/// Source: Steele, Lea and Flood, OOPSLA 2014.
#pragma once

#include <cmath>
#include <cstdint>

namespace qpcast::simgrid {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  /// Mean 1, uniform over 1 +- spread: how much one execution of the same code varies.
  double jitter(double spread) { return 1 + spread * (2 * uniform() - 1); }
  std::uint64_t below(std::uint64_t n) { return bits() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace qpcast::simgrid
