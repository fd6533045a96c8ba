/// Meter: the carried rate by batch means, with its confidence interval.
///
/// Departures are counted in the order they leave the NIC. Batch i of M messages took D_i us; the
/// estimate is n M / sum D_i, and its interval is that of the mean of D_i over n batches, with
/// Student's t at 95 %. Batch means remove the correlation between neighbours when M is many times
/// the messages in flight, which is how the simulation chooses M (Law 2015, section 9.5.3). A rate
/// that still moves widens the interval by as much as it has moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace qpcast::simgrid {

class Meter {
 public:
  /// @param skip  messages discarded first  @param per_batch  messages in a batch, at least 1
  Meter(std::uint64_t skip, std::uint64_t per_batch) : skip_{skip}, per_batch_{per_batch} {}

  void depart(double time, std::uint64_t messages) {
    seen_ += messages;
    last_ = time;
    if (!warm_) {
      if (seen_ < skip_) return;
      warm_ = true;
      first_ = batch_start_ = time;
      counted_from_ = batch_from_ = seen_;
      return;
    }
    if (seen_ - batch_from_ < per_batch_) return;
    const double each = (time - batch_start_) / static_cast<double>(seen_ - batch_from_);
    ++batches_;
    batch_.push_back(each);
    const double off = each - mean_;
    mean_ += off / static_cast<double>(batches_);
    squares_ += off * (each - mean_);
    batch_start_ = time;
    batch_from_ = seen_;
    half_width_ = interval();
  }

  bool warm() const { return warm_; }
  std::uint64_t seen() const { return seen_; }
  std::uint64_t batches() const { return batches_; }
  double last() const { return last_; }
  double measured_us() const { return warm_ ? last_ - first_ : 0; }
  /// Messages per us since the warm-up.
  double rate() const {
    const double span = measured_us();
    return span > 0 ? static_cast<double>(seen_ - counted_from_) / span : 0;
  }
  /// Relative half-width of the 95 % interval; infinite below ten batches.
  double half_width() const { return half_width_; }

 private:
  /// Once per batch: the stopping rule asks at every event.
  double interval() const {
    constexpr std::uint64_t fewest = 10;
    if (batches_ < fewest) return HUGE_VAL;
    const auto n = static_cast<double>(batches_);
    const double sd = std::sqrt(squares_ / (n - 1));
    return std::max(student(n - 1) * sd / std::sqrt(n), trend(sd)) / mean_;
  }

  /// How far the second half of the batches lies from the first, where that is no chance (three
  /// standard deviations of the difference): lanes still drift apart, or a cache still fills.
  double trend(double sd) const {
    const auto half = static_cast<std::ptrdiff_t>(batch_.size() / 2);
    const auto mean = [&](auto from, auto to) {
      return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
    };
    const double moved = std::abs(mean(batch_.end() - half, batch_.end()) -
                                  mean(batch_.begin(), batch_.begin() + half));
    // A drift inflates sd too: differences of neighbours tell the noise without it (von Neumann).
    double squares = 0;
    for (std::size_t i = 1; i < batch_.size(); ++i)
      squares += (batch_[i] - batch_[i - 1]) * (batch_[i] - batch_[i - 1]);
    const double noise =
        std::min(sd, std::sqrt(squares / 2 / static_cast<double>(batch_.size() - 1)));
    constexpr double chance = 3;
    return moved > chance * noise * std::sqrt(2.0 / static_cast<double>(half)) ? moved : 0;
  }
  /// 97.5 % quantile of Student's t, by its expansion in 1/dof; within 0.2 % from 9 on.
  static double student(double dof) {
    constexpr double z = 1.959964;
    constexpr double z3 = z * z * z, z5 = z3 * z * z;
    return z + (z3 + z) / (4 * dof) + (5 * z5 + 16 * z3 + 3 * z) / (96 * dof * dof);
  }

  std::uint64_t skip_, per_batch_;
  bool warm_ = false;
  std::uint64_t seen_ = 0, counted_from_ = 0, batch_from_ = 0, batches_ = 0;
  std::vector<double> batch_;  ///< us per message of each
  double half_width_ = HUGE_VAL;
  double first_ = 0, last_ = 0, batch_start_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace qpcast::simgrid
