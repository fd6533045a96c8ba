#include "model/measurement.hpp"

#include <algorithm>
#include <array>

#include "model/prediction.hpp"

namespace qpcast {

namespace {

struct MetricInfo {
  Metric metric;
  std::string_view name, unit;
};

constexpr std::array<MetricInfo, metric_count> metrics{{
    {Metric::issue, "issue", "us"},
    {Metric::put_completion, "put_completion", "us"},
    {Metric::doorbell_to_cqe, "doorbell_to_cqe", "us"},
    {Metric::rtt, "rtt", "us"},
    {Metric::rtt_p99, "rtt_p99", "us"},
    {Metric::rate, "rate", "Mmsg/s"},
    {Metric::carried_rate, "carried_rate", "Mmsg/s"},
    {Metric::goodput, "goodput", "GB/s"},
    {Metric::payload_at_90pct_line_rate, "payload_at_90pct_line_rate", "B"},
    {Metric::onset_active_qps, "onset_active_qps", "connections"},
    {Metric::issue_clock_share, "issue_clock_share", "fraction"},
    {Metric::put_completion_clock_share, "put_completion_clock_share", "fraction"},
    {Metric::issue_clock_cycles, "issue_clock_cycles", "cycles"},
    {Metric::throughput_loss, "throughput_loss", "%"},
    {Metric::throughput_kept, "throughput_kept", "%"},
    {Metric::issue_end, "issue_end", "us"},
    {Metric::duration, "duration", "us"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < metric_count; ++i)
    if (static_cast<std::size_t>(metrics.at(i).metric) != i) return false;
  return true;
}
static_assert(in_order(), "rows must follow Metric's order");

}  // namespace

std::string_view metric_name(Metric m) { return metrics.at(static_cast<std::size_t>(m)).name; }
std::string_view metric_unit(Metric m) { return metrics.at(static_cast<std::size_t>(m)).unit; }

std::optional<Metric> find_metric(std::string_view name) {
  for (const auto& m : metrics)
    if (m.name == name) return m.metric;
  return std::nullopt;
}

const Estimate* Prediction::find(Metric metric) const {
  const auto it = std::find_if(metrics.begin(), metrics.end(),
                               [&](const MetricEstimate& m) { return m.metric == metric; });
  return it == metrics.end() ? nullptr : &it->estimate;
}

}  // namespace qpcast
