#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "hw/experiments/statistics.hpp"
#include "hw/experiments/subject.hpp"
#include "hw/gda/gpu_link.hpp"
#include "hw/gda/gpu_producer.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

/// Lone operations per pass: each takes about 10 us with the pause before it.
constexpr std::size_t lone_operations = 2000;

/// mini-proxy with the GPU as its producer.
class GpuProxySubject final : public Subject {
 public:
  GpuProxySubject(const Bench& bench, const Point& point)
      : point_{point},
        link_{bench, point.layout},
        producer_{link_.rings(),
                  point.layout.choice(Key::handoff, Handoff::tuned) == Handoff::tuned,
                  bench.patience} {
    const auto threads = point.layout.number(Key::threads, 1);
    if (point.method == Method::rate && threads != static_cast<double>(rings()))
      throw InputError{point.layout.to_string(), "threads",
                       fmt::format("{}: a GPU feeds each of the {} rings by a thread of its own, "
                                   "so threads={} is right",
                                   threads, rings(), rings())};
  }

  void pass(const PassBudget& budget, Passes& passes) override {
    const auto seed = prepare_payload(link_);
    const RequestPattern pattern{static_cast<std::uint32_t>(payload_start),
                                 static_cast<std::uint32_t>(link_.stride()),
                                 static_cast<std::uint32_t>(link_.slots()), link_.payload()};
    if (point_.method == Method::latency)
      latency(budget, pattern, passes);
    else
      rate(budget, pattern, passes);
    validate_payload(link_, seed, requests_);
  }
  Environment facts() const override {
    return {{"producer", "gpu"},
            {"gpu.sm_clock_observed_mhz", fmt::format("{:.0f}", sm_mhz_)},
            {"workers.pinned", link_.workers_pinned() ? "yes" : "no"}};
  }
  double sm_mhz() const override { return sm_mhz_; }

 private:
  void latency(const PassBudget& budget, const RequestPattern& pattern, Passes& passes) {
    requests_ = std::min(budget.samples, lone_operations);
    auto times = producer_.latency(static_cast<std::uint32_t>(requests_), pattern);
    passes[Metric::issue].push_back(median(times.issue));
    passes[Metric::put_completion].push_back(median(times.completion));
    sm_mhz_ = times.sm_mhz;
  }
  void rate(const PassBudget& budget, const RequestPattern& pattern, Passes& passes) {
    constexpr double first_guess = 0.5;  // messages/us
    const double us = static_cast<double>(budget.time.count()) * 1e3;
    const double each = (rate_ > 0 ? rate_ : first_guess) * us / static_cast<double>(rings());
    requests_ = std::max<std::uint64_t>(256, static_cast<std::uint64_t>(each));
    const auto result = producer_.rate(requests_, link_.window() / rings(), pattern);
    rate_ = result.messages_per_us;
    sm_mhz_ = result.sm_mhz;
    add_rate(rate_, link_.payload(), passes);
  }
  std::uint64_t rings() const { return std::max<std::uint64_t>(1, link_.rings().size()); }

  const Point& point_;
  Link link_;
  GpuProducer producer_;
  std::uint64_t requests_ = 0;
  double rate_ = 0, sm_mhz_ = 0;
};

class GpuSubject final : public Subject {
 public:
  GpuSubject(const Bench& bench, const Point& point)
      : point_{point}, link_{*bench.gpu_nic, point.layout, bench.patience} {}

  void pass(const PassBudget& budget, Passes& passes) override {
    const auto count = static_cast<std::uint32_t>(std::min(budget.samples, lone_operations));
    switch (point_.method) {
      case Method::latency: {
        auto times = link_.latency(count);
        passes[Metric::issue].push_back(median(times.issue));
        passes[Metric::doorbell_to_cqe].push_back(median(times.doorbell_to_cqe));
        passes[Metric::put_completion].push_back(median(times.completion));
        return saw(times.sm_mhz);
      }
      case Method::rate: {
        const auto rate = link_.rate(budget.time);
        add_rate(rate.messages_per_us, link_.layout().payload, passes);
        return saw(rate.sm_mhz);
      }
      case Method::round_trip: {
        auto trips = link_.round_trip(count);
        add_round_trips(trips.times, passes);
        return saw(trips.sm_mhz);
      }
    }
  }
  Environment facts() const override {
    return {{"producer", "gpu"}, {"gpu.sm_clock_observed_mhz", fmt::format("{:.0f}", sm_mhz_)}};
  }
  double sm_mhz() const override { return sm_mhz_; }

 private:
  void saw(double mhz) { sm_mhz_ = mhz; }
  const Point& point_;
  GpuLink link_;
  double sm_mhz_ = 0;
};

}  // namespace

std::unique_ptr<Subject> open_gpu_subject(const Bench& bench, const Point& point) {
  if (!bench.gpu_nic)
    throw DeviceError{"gpu", "open", EOPNOTSUPP, "no GPU submitter for this NIC; see the summary"};
  if (!gpu_submits(point.layout)) return std::make_unique<GpuProxySubject>(bench, point);
  if (point.layout.has(Key::background_ctas))
    throw DeviceError{"gpu", "open", EOPNOTSUPP, "mini-gda carries no background traffic yet"};
  return std::make_unique<GpuSubject>(bench, point);
}

}  // namespace qpcast::hw
