/// Random numbers of the simulations: one small generator and explicit transforms, so that a seed
/// gives the same bits with every standard library.
///
/// Generator: xoshiro256++ seeded through splitmix64 (Blackman and Vigna 2019), period 2^256 - 1.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace qpcast::simgrid {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      auto z = seed;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31U);
    }
  }

  std::uint64_t bits() {
    const auto result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const auto shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// In (0, 1), never either end.
  double uniform() { return (static_cast<double>(bits() >> 11U) + 0.5) * 0x1.0p-53; }
  /// In 0..n-1. n > 0; the bias is below n / 2^64.
  std::uint32_t below(std::uint32_t n) {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint32_t>((static_cast<wide>(bits()) * n) >> 64U);
  }
  /// Mean 1.
  double exponential() { return -std::log(uniform()); }
  /// The largest of n independent `exponential`s, by its inverse distribution.
  double largest_exponential(double n) { return -std::log1p(-std::pow(uniform(), 1 / n)); }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace qpcast::simgrid
