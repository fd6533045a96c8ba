/// Latency quantiles in constant memory, and batch means for the stopping rule.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace qpcast::simgrid {

/// Counts in logarithmic bins, 64 per factor of two: quantiles to about 1 %. Range 1 ns to 1e9 us.
class Histogram {
 public:
  void add(double us, double weight = 1) {
    const double bin = std::log2(std::max(us, smallest) / smallest) * per_octave;
    const auto i = static_cast<std::size_t>(bin);
    counts_.at(i < counts_.size() ? i : counts_.size() - 1) += weight;
    total_ += weight;
    sum_ += us * weight;
  }
  double count() const { return total_; }
  double mean() const { return total_ > 0 ? sum_ / total_ : 0; }
  /// The q-quantile, us: the middle of its bin.
  double quantile(double q) const {
    double below = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      below += counts_.at(i);
      if (below >= q * total_ && below > 0) return edge(static_cast<double>(i) + 0.5);
    }
    return 0;
  }
  static constexpr std::size_t bins() { return bin_count; }
  double bin_count_at(std::size_t i) const { return counts_.at(i); }
  static double edge(double bin) { return smallest * std::exp2(bin / per_octave); }

 private:
  static constexpr double smallest = 1e-3, per_octave = 64;
  static constexpr std::size_t bin_count = 40 * 64;
  std::array<double, bin_count> counts_{};
  double total_ = 0, sum_ = 0;
};

/// Mean of batches and the half-width of its 95 % confidence interval (Student's t taken as
/// 2.1: 1.5 % narrow at 16 batches, wider than needed from 19 on).
class BatchMeans {
 public:
  void add(double value) {
    ++n_;
    const double delta = value - mean_;
    mean_ += delta / n_;
    squares_ += delta * (value - mean_);
  }
  int count() const { return static_cast<int>(n_); }
  double mean() const { return mean_; }
  double half_width() const {
    return n_ < 2 ? INFINITY : 2.1 * std::sqrt(squares_ / (n_ - 1) / n_);
  }

 private:
  double n_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace qpcast::simgrid
