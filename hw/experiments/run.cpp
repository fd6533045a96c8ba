#include "hw/experiments/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "hw/experiments/operating_state.hpp"
#include "hw/experiments/progress.hpp"
#include "hw/experiments/statistics.hpp"
#include "hw/experiments/subject.hpp"

namespace qpcast::hw {

namespace {

std::string row_id(const Point& point, Metric metric) {
  return fmt::format("{}:{}:{}", point.experiment, point.layout.to_string(), metric_name(metric));
}

/// Counters of the NIC that grew in the meantime and mean trouble.
void note_errors(const std::map<std::string, std::uint64_t>& before, Nic& nic, Environment& facts) {
  for (const auto& [name, value] : nic.error_counters())
    if (const auto old = before.find(name); old != before.end() && value > old->second)
      facts["nic.errors." + name] = std::to_string(value - old->second);
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
    report_.skipped.push_back(
        {point.experiment, point.layout.to_string() + ": nothing arrives that could be answered"});
    return false;
  }

  std::unique_ptr<Subject> open(const Point& point) {
    try {
      return open_subject(bench_, point);
    } catch (const DeviceError& error) {
      if (!beyond_the_device(error)) throw;
      report_.skipped.push_back({point.experiment, point.layout.to_string() + ": " + error.what()});
      return nullptr;
    }
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
    note_errors(errors, bench_.nic, facts);
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
