/// Histogram of latencies with logarithmic buckets, 64 to an octave: quantiles are right to 0.6 %,
/// the mean is exact. Fixed size whatever the number of values. Unit: us, from 1 ns to 18 min.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace qpcast::simgrid {

class Histogram {
 public:
  static constexpr double smallest = 1e-3;
  static constexpr int per_octave = 64, octaves = 40;
  static constexpr std::size_t buckets = per_octave * octaves;

  void add(double us, std::uint64_t count = 1) {
    counts_[bucket_of(us)] += count;
    count_ += count;
    sum_ += us * static_cast<double>(count);
  }
  std::uint64_t count() const { return count_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

  /// Smallest bucket centre below which a fraction q of the values lies. 0 < q <= 1; 0 if empty.
  double quantile(double q) const {
    const auto rank = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
      seen += counts_[i];
      if (seen >= rank && seen > 0) return centre(i);
    }
    return 0;
  }

  std::uint64_t in_bucket(std::size_t i) const { return counts_.at(i); }
  static double centre(std::size_t i) {
    return smallest * std::exp2((static_cast<double>(i) + 0.5) / per_octave);
  }

 private:
  static std::size_t bucket_of(double us) {
    if (us <= smallest) return 0;
    const auto i = static_cast<std::size_t>(std::log2(us / smallest) * per_octave);
    return std::min(i, buckets - 1);
  }

  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace qpcast::simgrid
