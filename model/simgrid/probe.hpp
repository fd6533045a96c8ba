/// Ping-pong probe: one message, its echo, and so on, beside the traffic or alone.
///
/// Both ends are loaded alike, so the echo passes the same stations as the message.
#pragma once

#include "model/simgrid/traffic.hpp"

namespace qpcast::simgrid {

class Probe : public ProbeListener {
 public:
  /// @param trips  round trips to make; the first is discarded
  Probe(World& world, Traffic& traffic, std::uint32_t trips)
      : world_{world}, traffic_{traffic}, left_{trips + 1} {}

  void start(double now);
  void handle(const Event& event);
  void passed(const Nic::Passage& passage) override;
  bool done() const { return left_ == 0; }

  const Histogram& round_trips() const { return round_trips_; }
  double issue_us() const { return mean(issue_); }
  double doorbell_to_cqe_us() const { return mean(cqe_); }
  double put_completion_us() const { return mean(put_); }

 private:
  double mean(double sum) const {
    return messages_ == 0 ? 0 : sum / static_cast<double>(messages_);
  }
  void flush(double now);
  void call(double now);

  World& world_;
  Traffic& traffic_;
  std::uint32_t left_;
  bool echo_ = false, first_ = true;
  double trip_began_ = 0, began_ = 0, issued_ = 0;
  double issue_ = 0, cqe_ = 0, put_ = 0;
  std::uint64_t messages_ = 0;
  Histogram round_trips_;
};

}  // namespace qpcast::simgrid
