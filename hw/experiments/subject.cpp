#include "hw/experiments/subject.hpp"

#include <cerrno>

#include "hw/affinity.hpp"
#include "hw/experiments/statistics.hpp"

namespace qpcast::hw {

namespace {

Load load_of(const Layout& layout) {
  if (!layout.has(Key::background_ctas)) return {};
  const bool shared = layout.choice(Key::queue, Queue::shared) == Queue::shared;
  return {static_cast<std::uint64_t>(layout.number(Key::window, 1)), shared ? 0U : 1U, 0};
}

class CpuSubject final : public Subject {
 public:
  CpuSubject(const Bench& bench, const Point& point) : point_{point}, link_{bench, point.layout} {}

  void pass(const PassBudget& budget, Passes& passes) override {
    // The echo of a round trip is a thread started in the pass, and would inherit the processor.
    const bool echoes = point_.method == Method::round_trip;
    const PinnedScope pinned{echoes ? -1 : link_.bench().producer_cpu};
    pinned_ = pinned.held();
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
    return {{"producer", "cpu"},
            {"producer.pinned", pinned_ ? "yes" : "no"},
            {"workers.pinned", link_.workers_pinned() ? "yes" : "no"}};
  }

 private:
  const Point& point_;
  Link link_;
  bool pinned_ = false;  ///< the producer, in the last pass
};

}  // namespace

void add_rate(double messages_per_us, std::uint32_t payload, Passes& passes) {
  passes[Metric::rate].push_back(messages_per_us);
  passes[Metric::goodput].push_back(messages_per_us * payload * 1e-3);  // MB/s to GB/s
}

void add_round_trips(std::vector<double>& times, Passes& passes) {
  passes[Metric::rtt].push_back(median(times));
  passes[Metric::rtt_p99].push_back(quantile(times, 0.99));
}

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
  const bool proxy = point.layout.choice(Key::submitter, Submitter::host) == Submitter::proxy;
  const bool gpu_produces = proxy && bench.gpu_nic && point.method != Method::round_trip;
  if (gpu_submits(point.layout) || gpu_produces) return open_gpu_subject(bench, point);
  return std::make_unique<CpuSubject>(bench, point);
}

}  // namespace qpcast::hw
