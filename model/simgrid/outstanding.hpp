/// The batches a stream has outstanding: a ring of completion times, oldest first.
#pragma once

#include <cstdint>
#include <vector>

namespace qpcast::simgrid {

class Outstanding {
 public:
  /// @param credit  messages that may be outstanding  @param batch  messages per entry
  Outstanding(double credit, std::uint32_t batch)
      : most_{static_cast<std::uint32_t>(credit / batch)}, done_(most_) {}

  bool blocked_for_ever() const { return most_ == 0; }
  /// When the next batch may start: now, or once the oldest is complete. Precondition: most > 0.
  double admit(double now) {
    while (size_ > 0 && done_[first_] <= now) pop();
    if (size_ < most_) return now;
    const double when = done_[first_];
    pop();
    return when;
  }
  /// Completions are noticed in order: a CQE retires all earlier ones.
  void add(double done) {
    if (size_ > 0) {
      const auto last = (first_ + size_ - 1) % most_;
      if (done < done_[last]) done = done_[last];
    }
    done_[(first_ + size_) % most_] = done;
    ++size_;
  }

 private:
  void pop() {
    first_ = first_ + 1 == most_ ? 0 : first_ + 1;
    --size_;
  }

  std::uint32_t most_, first_ = 0, size_ = 0;
  std::vector<double> done_;
};

}  // namespace qpcast::simgrid
