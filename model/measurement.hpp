/// Measurement: Layout + metric + statistic + value. Published, imported, emulated and live rows
/// share this schema, so validation is: predict each row's layout, compare.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/layout.hpp"

namespace qpcast {

/// What a row measures. The unit of each is fixed: see `metric_unit`.
enum class Metric : std::uint8_t {
  issue,
  put_completion,
  doorbell_to_cqe,
  rtt,
  rtt_p99,
  rate,
  carried_rate,
  goodput,
  payload_at_90pct_line_rate,
  onset_active_qps,
  issue_clock_share,
  put_completion_clock_share,
  issue_clock_cycles,
  throughput_loss,
  throughput_kept,
  issue_end,
  duration,
};
inline constexpr std::size_t metric_count = static_cast<std::size_t>(Metric::duration) + 1;
std::string_view metric_name(Metric metric);
std::string_view metric_unit(Metric metric);  ///< "us", "Mmsg/s", "GB/s", "B", "%", ...
std::optional<Metric> find_metric(std::string_view name);

enum class Statistic : std::uint8_t { value, ratio, delta };

/// Where a row comes from. `kind` is one of published, imported, emulated, verbs, mlx5, simulated.
struct Source {
  std::string kind = "published";
  std::string detail;  ///< section of a paper, file, device
};

/// One row.
struct Measurement {
  std::string id;
  std::string where;  ///< "file:line" it was read from, for messages; not written
  std::string platform;
  std::string library;             ///< the CSV's `subject`
  Layout layout;                   ///< `config`
  std::optional<Layout> baseline;  ///< present for ratio and delta
  Metric metric = Metric::rate;
  Statistic statistic = Statistic::value;
  double value = 0;
  std::optional<double> lo, hi;  ///< range the source states
  std::string unit;              ///< metric's unit, "x" for ratios
  int passes = 0;                ///< repetitions behind the value; 0 unknown
  std::optional<double> spread;  ///< relative sd over passes
  std::map<std::string, std::string> environment;
  Source source;
  std::string note;
};

}  // namespace qpcast
