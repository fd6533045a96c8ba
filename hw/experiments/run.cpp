#include "hw/experiments/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "hw/experiments/operating_state.hpp"
#include "hw/experiments/progress.hpp"
#include "hw/experiments/statistics.hpp"
#include "hw/experiments/subject.hpp"

namespace qpcast::hw {

namespace {

std::string row_id(const Point& point, Metric metric) {
  return fmt::format("{}:{}:{}", point.experiment, point.layout.to_string(), metric_name(metric));
}

/// By how much counters of the NIC that mean trouble grew in the meantime.
std::map<std::string, std::uint64_t> grown(const std::map<std::string, std::uint64_t>& before,
                                           const Nic& nic) {
  std::map<std::string, std::uint64_t> more;
  for (const auto& [name, value] : nic.error_counters()) {
    const auto old = before.find(name);
    const auto from = old == before.end() ? 0 : old->second;
    if (value > from) more[name] = value - from;
  }
  return more;
}

/// Why the clock that the layout names is not the one it ran at; empty when it is, or names none.
std::string clock_missed(const Layout& layout, double seen) {
  constexpr double tolerance = 0.03;  // of the clock; steps between supported clocks are smaller
  const double asked = layout.number(Key::clock_mhz, 0);
  if (asked == 0 || seen == 0 || std::abs(seen - asked) <= tolerance * asked) return {};
  return fmt::format(
      "the SM ran at {:.0f} MHz; not measured with --set-clocks, or held down by a "
      "power or thermal limit?",
      seen);
}

/// The device says no to this layout; others may still work.
bool beyond_the_device(const DeviceError& error) {
  return error.code() == EINVAL || error.code() == ENOMEM || error.code() == EOPNOTSUPP;
}

class Runner {
 public:
  Runner(const Plan& plan, const Bench& bench, std::string platform, const Environment& environment,
         RowFile& rows)
      : plan_{plan},
        bench_{bench},
        platform_{std::move(platform)},
        environment_{environment},
        rows_{rows},
        progress_{plan.points.size()} {
    report_.skipped = plan.skipped;
  }

  RunReport run() {
    for (std::size_t i = 0; i < plan_.points.size(); ++i) {
      const auto& point = plan_.points[i];
      progress_.at(i, point.experiment + ": " + point.layout.to_string());
      if (finished(point) || !possible(point)) continue;
      std::optional<LockedClock> clock;
      if (bench_.clocks && point.layout.has(Key::clock_mhz))
        clock.emplace(*bench_.clocks,
                      static_cast<std::uint32_t>(point.layout.number(Key::clock_mhz, 0)));
      if (const auto subject = open(point)) measure(point, *subject);
    }
    return std::move(report_);
  }

 private:
  bool finished(const Point& point) {
    const auto metrics = metrics_of(point);
    const bool all = std::ranges::all_of(
        metrics, [&](Metric metric) { return rows_.has(row_id(point, metric)); });
    if (all) report_.kept += metrics.size();
    return all;
  }

  bool possible(const Point& point) {
    if (point.method != Method::round_trip || bench_.nic.writes_payload()) return true;
    skip(point, "nothing arrives that could be answered");
    return false;
  }

  std::unique_ptr<Subject> open(const Point& point) {
    try {
      return open_subject(bench_, point);
    } catch (const DeviceError& error) {
      if (!beyond_the_device(error)) throw;
      skip(point, error.what());
      return nullptr;
    }
  }

  void skip(const Point& point, const std::string& why) {
    report_.skipped.push_back({point.experiment, point.layout.to_string() + ": " + why});
  }

  /// The rows stay, and say which counters moved and by how much.
  void note_errors(const Point& point, const std::map<std::string, std::uint64_t>& counters,
                   Environment& facts) {
    if (counters.empty()) return;
    std::string list;
    for (const auto& [name, count] : counters) {
      facts["nic.errors." + name] = std::to_string(count);
      list += fmt::format("{}{} +{}", list.empty() ? "" : ", ", name, count);
    }
    ++report_.troubled;
    progress_.say(fmt::format("warning: {} counted errors during {} ({}): {}; the rows say so",
                              bench_.nic.name(), point.experiment, point.layout.to_string(), list));
  }

  void measure(const Point& point, Subject& subject) {
    auto facts = environment_;
    const auto errors = bench_.nic.error_counters();
    Passes passes;
    subject.pass({plan_.warm_up}, passes);
    passes.clear();
    for (std::uint32_t pass = 0; pass < plan_.passes; ++pass) {
      const auto state = point.layout.choice(Key::host_state, HostState::uncontrolled);
      const auto mhz =
          reach_host_state(state, plan_.warm_time, plan_.cold_time, bench_.interrupted);
      facts["cpu.observed_mhz"] = fmt::format("{:.0f}", mhz);
      subject.pass({plan_.pass_time}, passes);
    }
    facts.merge(processor_state());
    for (const auto& [name, value] : subject.facts()) facts[name] = value;
    if (const auto why = clock_missed(point.layout, subject.sm_mhz()); !why.empty())
      return skip(point, why);
    note_errors(point, grown(errors, bench_.nic), facts);
    for (const auto metric : metrics_of(point)) write(point, metric, passes[metric], facts);
  }

  void write(const Point& point, Metric metric, const std::vector<double>& passes,
             const Environment& facts) {
    const auto id = row_id(point, metric);
    if (rows_.has(id)) {
      ++report_.kept;
      return;
    }
    const auto summary = summarise(passes);
    Measurement row;
    row.id = id;
    row.platform = platform_;
    row.library = point.layout.library;
    row.layout = point.layout;
    row.metric = metric;
    row.value = summary.value;
    row.lo = summary.lo;
    row.hi = summary.hi;
    row.unit = metric_unit(metric);
    row.passes = static_cast<int>(passes.size());
    row.spread = summary.spread;
    row.environment = facts;
    row.source = {bench_.nic.kind(), bench_.nic.name()};
    rows_.append(row);
    ++report_.measured;
  }

  const Plan& plan_;
  const Bench& bench_;
  std::string platform_;
  const Environment& environment_;
  RowFile& rows_;
  Progress progress_;
  RunReport report_;
};

}  // namespace

RunReport run_plan(const Plan& plan, const Bench& bench, const std::string& platform,
                   const Environment& environment, RowFile& rows) {
  return Runner{plan, bench, platform, environment, rows}.run();
}

}  // namespace qpcast::hw
