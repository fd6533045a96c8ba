#include "hw/experiments/subject.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "hw/experiments/statistics.hpp"
#include "hw/gda/gpu_link.hpp"

namespace qpcast::hw {

namespace {

Load load_of(const Layout& layout) {
  if (!layout.has(Key::background_ctas)) return {};
  const bool shared = layout.choice(Key::queue, Queue::shared) == Queue::shared;
  return {static_cast<std::uint64_t>(layout.number(Key::window, 1)), shared ? 0U : 1U, 0};
}

void add_rate(double messages_per_us, std::uint32_t payload, Passes& passes) {
  passes[Metric::rate].push_back(messages_per_us);
  passes[Metric::goodput].push_back(messages_per_us * payload * 1e-3);  // MB/s to GB/s
}

void add_round_trips(std::vector<double>& times, Passes& passes) {
  passes[Metric::rtt].push_back(median(times));
  passes[Metric::rtt_p99].push_back(quantile(times, 0.99));
}

class CpuSubject final : public Subject {
 public:
  CpuSubject(const Bench& bench, const Point& point) : point_{point}, link_{bench, point.layout} {}

  void pass(const PassBudget& budget, Passes& passes) override {
    switch (point_.method) {
      case Method::latency: {
        auto times = latency_pass(link_, budget);
        passes[Metric::issue].push_back(median(times.issue));
        passes[Metric::put_completion].push_back(median(times.completion));
        return;
      }
      case Method::rate: {
        const auto visit =
            static_cast<std::uint64_t>(point_.layout.number(Key::writes_per_visit, 64));
        return add_rate(rate_pass(link_, budget, visit), link_.payload(), passes);
      }
      case Method::round_trip: {
        auto trips = round_trip_pass(link_, budget, load_of(point_.layout));
        add_round_trips(trips.times, passes);
        passes[Metric::carried_rate].push_back(trips.carried_rate);
        return;
      }
    }
  }
  Environment facts() const override {
    return {{"producer", "cpu"}, {"workers.pinned", link_.workers_pinned() ? "yes" : "no"}};
  }

 private:
  const Point& point_;
  Link link_;
};

class GpuSubject final : public Subject {
 public:
  GpuSubject(const Bench& bench, const Point& point)
      : point_{point}, link_{*bench.gpu_nic, point.layout, bench.patience} {}

  void pass(const PassBudget& budget, Passes& passes) override {
    constexpr std::size_t samples = 2000;  // a lone put takes about 10 us with its pause
    const auto count = static_cast<std::uint32_t>(std::min(budget.samples, samples));
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

 private:
  void saw(double mhz) { sm_mhz_ = mhz; }
  const Point& point_;
  GpuLink link_;
  double sm_mhz_ = 0;
};

}  // namespace

std::vector<Metric> metrics_of(const Point& point) {
  switch (point.method) {
    case Method::latency:
      if (gpu_submits(point.layout))
        return {Metric::issue, Metric::doorbell_to_cqe, Metric::put_completion};
      return {Metric::issue, Metric::put_completion};
    case Method::rate:
      return {Metric::rate, Metric::goodput};
    case Method::round_trip:
      if (point.layout.has(Key::background_ctas))
        return {Metric::rtt, Metric::rtt_p99, Metric::carried_rate};
      return {Metric::rtt, Metric::rtt_p99};
  }
  return {};
}

std::unique_ptr<Subject> open_subject(const Bench& bench, const Point& point) {
  if (!gpu_submits(point.layout)) return std::make_unique<CpuSubject>(bench, point);
  if (!bench.gpu_nic)
    throw DeviceError{"gpu", "open", EOPNOTSUPP, "no GPU submitter for this NIC; see the summary"};
  if (point.layout.has(Key::background_ctas))
    throw DeviceError{"gpu", "open", EOPNOTSUPP, "mini-gda carries no background traffic yet"};
  return std::make_unique<GpuSubject>(bench, point);
}

}  // namespace qpcast::hw
