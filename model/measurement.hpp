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

/// What a row measures. The unit of each is fixed: see `metric_unit`. All are positive.
/// Source of the list and of its meanings: arXiv 2610.01380 and the project's design.
enum class Metric : std::uint8_t {
  issue,            ///< us: one operation's call, until it returns to the submitter
  put_completion,   ///< us: from the call until the submitter has noticed the completion
  doorbell_to_cqe,  ///< us: from the doorbell store until the submitter has seen the CQE
  rtt,              ///< us: write and answering write, mean or median as the source has it
  rtt_p99,          ///< us: the same, 99th percentile
  rate,             ///< Mmsg/s: messages of all submitters, steady state
  carried_rate,     ///< Mmsg/s: bulk messages beside a probe
  goodput,          ///< GB/s (1e9 B/s): payload delivered
  payload_at_90pct_line_rate,  ///< B: smallest sampled payload that reaches 90 % of line rate
  onset_active_qps,            ///< connections: where the rate begins to decline
  issue_clock_share,           ///< %: part of issue time that scales with the SM clock
  put_completion_clock_share,  ///< %: the same of put_completion
  issue_clock_cycles,          ///< cycles: the part of issue time that the SM clock scales
  throughput_loss,             ///< %: of the enclosing kernel
  throughput_kept,             ///< %: of the enclosing kernel
  issue_end,                   ///< us: the last rank has rung its last doorbell
  duration,                    ///< us: a whole exchange
};
inline constexpr std::size_t metric_count = static_cast<std::size_t>(Metric::duration) + 1;
std::string_view metric_name(Metric metric);
std::string_view metric_unit(Metric metric);  ///< "us", "Mmsg/s", "GB/s", "B", "%", ...
std::optional<Metric> find_metric(std::string_view name);
/// Messages or bytes per time: what a station limits, rather than the time a path takes.
constexpr bool is_rate(Metric metric) {
  return metric == Metric::rate || metric == Metric::carried_rate || metric == Metric::goodput;
}

/// What a probe sees: its answer waits for the other end's threads too, and the bulk traffic beside
/// it for the probe.
constexpr bool is_probe(Metric metric) {
  return metric == Metric::rtt || metric == Metric::rtt_p99 || metric == Metric::carried_rate;
}

/// A row states the metric itself, the layout's over the baseline's (unit "x"), or the layout's
/// minus the baseline's (the metric's unit).
enum class Statistic : std::uint8_t { value, ratio, delta };

/// Where a row comes from. `kind` is one of published, imported, emulated, verbs, mlx5, simulated.
struct Source {
  std::string kind = "published";
  std::string detail;  ///< section of a paper, file, device
};

/// One row.
struct Measurement {
  std::string id;                  ///< unique in a file, not empty
  std::string where;               ///< "file:line" it was read from, for messages; not written
  std::string platform;            ///< name of the platform it was measured on, not empty
  std::string library;             ///< the CSV's `subject`: a preset's name
  Layout layout;                   ///< `config`
  std::optional<Layout> baseline;  ///< present for ratio and delta
  Metric metric = Metric::rate;
  Statistic statistic = Statistic::value;
  double value = 0;              ///< in `unit`; finite, positive unless a delta
  std::optional<double> lo, hi;  ///< range the source states, in `unit`, lo <= hi
  std::string unit;              ///< metric's unit, "x" for ratios
  int passes = 0;                ///< repetitions behind the value; 0 unknown
  std::optional<double> spread;  ///< relative sd over passes, >= 0
  /// What the row was measured on and with, as `qpcast measure` names it ("gpu", "nic_firmware").
  std::map<std::string, std::string> environment;
  Source source;
  std::string note;  ///< free text
};

}  // namespace qpcast
