#include "hw/experiments/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "hw/experiments/operating_state.hpp"
#include "hw/experiments/progress.hpp"
#include "hw/experiments/statistics.hpp"
#include "hw/experiments/subject.hpp"
#include "hw/experiments/undisturbed.hpp"
#include "scenarios/io/measurements.hpp"

namespace qpcast::hw {

namespace {

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

/// How many passes somebody else had a share of the NIC's or the producer's processor in; the row
/// is of the others, or of two where fewer are left.
constexpr const char* shared_cpu = "passes.cpu_shared";

/// The device says no to this layout; others may still work.
bool beyond_the_device(const DeviceError& error) {
  return error.code() == EINVAL || error.code() == ENOMEM || error.code() == EOPNOTSUPP;
}

class Runner {
 public:
  Runner(const Plan& plan, Bench bench, std::string platform, const Environment& environment,
         RowFile& rows)
      : plan_{plan},
        bench_{std::move(bench)},
        platform_{std::move(platform)},
        environment_{environment},
        rows_{rows},
        progress_{plan.points.size()} {
    report_.skipped = plan.skipped;
  }

  RunReport run() {
    note_plan();
    report_.was_finished = !plan_.points.empty() &&
                           std::ranges::all_of(plan_.points, [&](auto& p) { return finished(p); });
    if (report_.was_finished)
      for (const auto& point : plan_.points) report_.kept += metrics_of(point).size();
    else if (plan_.alternate)
      run_alternating();
    else
      run_in_order();
    return std::move(report_);
  }

 private:
  /// The SM clock that the point names, for as long as the result lives.
  std::unique_ptr<LockedClock> lock_clock(const Point& point) {
    if (!bench_.clocks || !point.layout.has(Key::clock_mhz)) return nullptr;
    const auto mhz = static_cast<std::uint32_t>(point.layout.number(Key::clock_mhz, 0));
    return std::make_unique<LockedClock>(*bench_.clocks, mhz);
  }

  static std::vector<std::string> ids_of(const Point& point) {
    std::vector<std::string> ids;
    for (const auto metric : metrics_of(point)) ids.push_back(row_id(point, metric));
    return ids;
  }

  bool finished(const Point& point) const {
    return std::ranges::all_of(ids_of(point), [&](const auto& id) { return rows_.has(id); });
  }

  /// What a reader of the file needs to see whether the run finished.
  void note_plan() {
    PlanNote note{platform_, bench_.nic.kind(), bench_.nic.name(), plan_.name, {}};
    if (const auto named = environment_.find("plan"); named != environment_.end())
      note.plan = named->second;
    for (const auto& point : plan_.points)
      for (auto& id : ids_of(point)) note.rows.push_back(std::move(id));
    if (!note.rows.empty()) rows_.append(note);
  }

  void run_in_order() {
    for (std::size_t i = 0; i < plan_.points.size(); ++i) {
      const auto& point = plan_.points[i];
      progress_.at(i, point.experiment + ": " + point.layout.to_string());
      if (finished(point)) {
        report_.kept += metrics_of(point).size();
        continue;
      }
      if (!possible(point)) continue;
      attempt(point, [&] {
        const auto clock = lock_clock(point);
        const auto subject = open(point);
        return subject && measure(point, *subject);
      });
    }
  }

  /// A fault of the transport ends the point and no other. `body` says whether it measured.
  template <class Body>
  void attempt(const Point& point, const Body& body) {
    try {
      if (body()) failures_in_a_row_ = 0;
    } catch (const TransportError& error) {
      fail(point, error.what());
    }
  }

  /// @throws DeviceError when the device is gone, or too many points have failed in a row
  void fail(const Point& point, const std::string& why) {
    const auto layout = point.layout.to_string();
    progress_.say(fmt::format("failed: {} ({}): {}", point.experiment, layout, why));
    failed_.insert(&point);
    report_.failed.push_back({point.experiment, layout, why});
    rows_.append(PointNote{PointNote::Outcome::failed, ids_of(point), why});
    check_device();
    if (++failures_in_a_row_ == most_failures_in_a_row)
      throw DeviceError{bench_.nic.name(), "measure", 0,
                        fmt::format("{} points in a row failed, the last: {}; finished rows are "
                                    "kept, and the next run goes on",
                                    most_failures_in_a_row, why)};
  }

  void check_device() {
    try {
      bench_.nic.check_present();
    } catch (const TransportError&) {
      // An event of a queue pair that is gone by now.
    }
  }

  /// Pass by pass over all points. Single passes are rows of a file beside the rows', so that a run
  /// that was stopped goes on where it was; the rows are written from them at the end.
  void run_alternating() {
    const auto path = rows_.path() + ".passes.jsonl";
    {
      RowFile passes{path, bench_.nic.kind(), bench_.nic.name(), platform_};
      for (std::uint32_t pass = 0; pass < plan_.passes; ++pass)
        for (std::size_t i = 0; i < plan_.points.size(); ++i)
          one_pass(plan_.points[pass % 2 == 0 ? i : plan_.points.size() - 1 - i], pass, passes);
    }
    std::map<std::string, std::vector<Measurement>> by_row;
    if (rows_of(path))
      for (auto& row : io::read_measurements(path)) by_row[row.id].push_back(std::move(row));
    for (const auto& point : plan_.points)
      if (!failed_.contains(&point))  // the passes it has wait for the next run's
        for (const auto metric : metrics_of(point)) join(point, metric, by_row);
  }

  /// One pass; once more if somebody else took a share of the NIC's or the producer's processor
  /// meanwhile. A point that brings about an operating state changes clocks itself.
  std::optional<Passes> pass_in_peace(const Point& point, Environment& facts) {
    const bool watched =
        bench_.places && !gpu_submits(point.layout) && !point.layout.has(Key::host_state);
    for (int attempt = 1;; ++attempt) {
      facts = environment_;
      const auto subject = open(point);
      auto values = subject ? timed(point, *subject, 1, facts) : std::nullopt;
      if (!values || !watched) return values;
      if (bench_.places->held()) return values;
      if (attempt == 1 && bench_.places->quiet()) continue;
      facts[shared_cpu] = "1";
      return values;
    }
  }

  static bool rows_of(const std::string& path) {
    std::error_code none;
    return std::filesystem::file_size(path, none) > 0 && !none;
  }

  static std::string pass_id(const std::string& row, std::uint32_t pass) {
    return fmt::format("{}#{}", row, pass);
  }

  void one_pass(const Point& point, std::uint32_t pass, RowFile& file) {
    progress_.at(passed_++ / plan_.passes,
                 fmt::format("pass {}: {}", pass + 1, point.layout.to_string()));
    const auto metrics = metrics_of(point);
    const auto id = [&](Metric metric) { return pass_id(row_id(point, metric), pass); };
    if (finished(point)) return;
    if (std::ranges::all_of(metrics, [&](Metric m) { return file.has(id(m)); })) return;
    if (failed_.contains(&point) || refused_.contains(&point)) return;
    if (!possible(point)) {
      refused_.insert(&point);
      return;
    }
    attempt(point, [&] {
      const auto clock = lock_clock(point);
      Environment facts;
      const auto values = pass_in_peace(point, facts);
      if (!values) {
        refused_.insert(&point);
        return false;
      }
      for (const auto metric : metrics)
        if (!file.has(id(metric)))
          file.append(row_of(point, metric, id(metric), values->at(metric), facts));
      return true;
    });
  }

  /// The row of its passes, in the environment of the last and at the median of their clocks.
  void join(const Point& point, Metric metric,
            const std::map<std::string, std::vector<Measurement>>& by_row) {
    std::vector<TimedPass> passes;
    Environment facts;
    for (std::uint32_t pass = 0; pass < plan_.passes; ++pass) {
      const auto it = by_row.find(pass_id(row_id(point, metric), pass));
      if (it == by_row.end()) continue;
      const auto& row = it->second.front();
      facts = row.environment;
      const auto seen = facts.find("cpu.observed_mhz");
      passes.push_back({row.value, seen == facts.end() ? 0 : std::stod(seen->second),
                        facts.erase(shared_cpu) > 0});
    }
    if (passes.empty()) {
      report_.kept += rows_.has(row_id(point, metric)) ? 1 : 0;
      return;
    }
    if (const auto shared = std::ranges::count(passes, true, &TimedPass::shared); shared > 0)
      facts[shared_cpu] = std::to_string(shared);
    std::vector<double> values, mhz;
    for (const auto& pass : undisturbed(std::move(passes))) {
      values.push_back(pass.value);
      mhz.push_back(pass.mhz);
    }
    if (median(mhz) > 0) facts["cpu.observed_mhz"] = fmt::format("{:.0f}", median(mhz));
    write(point, metric, values, facts);
  }

  /// Where the threads of the next point run.
  void take_places() {
    if (!bench_.places) return;
    const auto& places = bench_.places->choose();
    if (places.nic < 0) return;
    bench_.nic.run_on(places.nic);
    bench_.producer_cpu = places.producer;
    bench_.cpus = places.workers;
  }

  bool possible(const Point& point) {
    if (point.method != Method::round_trip || bench_.nic.writes_payload()) return true;
    skip(point, "nothing arrives that could be answered");
    return false;
  }

  std::unique_ptr<Subject> open(const Point& point) {
    take_places();
    try {
      return open_subject(bench_, point);
    } catch (const DeviceError& error) {
      if (dynamic_cast<const TransportError*>(&error) || !beyond_the_device(error)) throw;
      skip(point, error.what());
      return nullptr;
    }
  }

  void skip(const Point& point, const std::string& why) {
    report_.skipped.push_back({point.experiment, point.layout.to_string() + ": " + why});
    rows_.append(PointNote{PointNote::Outcome::skipped, ids_of(point), why});
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

  /// @return false when the point was skipped
  bool measure(const Point& point, Subject& subject) {
    auto facts = environment_;
    const auto passes = timed(point, subject, plan_.passes, facts);
    if (!passes) return false;
    for (const auto metric : metrics_of(point)) write(point, metric, passes->at(metric), facts);
    return true;
  }

  /// Passes after a warm-up, or nothing when the point could not be measured as it asks; adds what
  /// was observed meanwhile to the facts.
  std::optional<Passes> timed(const Point& point, Subject& subject, std::uint32_t count,
                              Environment& facts) {
    const auto errors = bench_.nic.error_counters();
    Passes passes;
    subject.pass({plan_.warm_up}, passes);
    passes.clear();
    for (std::uint32_t pass = 0; pass < count; ++pass) {
      const auto state = point.layout.choice(Key::host_state, HostState::uncontrolled);
      const auto mhz = reach_host_state(state, plan_.warm_time, plan_.cold_time,
                                        bench_.producer_cpu, bench_.interrupted);
      facts["cpu.observed_mhz"] = fmt::format("{:.0f}", mhz);
      subject.pass({plan_.pass_time}, passes);
    }
    facts.merge(processor_state());
    for (const auto& [name, value] : subject.facts()) facts[name] = value;
    if (const auto why = clock_missed(point.layout, subject.sm_mhz()); !why.empty()) {
      skip(point, why);
      return std::nullopt;
    }
    note_errors(point, grown(errors, bench_.nic), facts);
    return passes;
  }

  void write(const Point& point, Metric metric, const std::vector<double>& passes,
             const Environment& facts) {
    const auto id = row_id(point, metric);
    if (rows_.has(id)) {
      ++report_.kept;
      return;
    }
    rows_.append(row_of(point, metric, id, passes, facts));
    ++report_.measured;
  }

  Measurement row_of(const Point& point, Metric metric, const std::string& id,
                     const std::vector<double>& passes, const Environment& facts) const {
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
    return row;
  }

  const Plan& plan_;
  Bench bench_;
  std::string platform_;
  const Environment& environment_;
  RowFile& rows_;
  Progress progress_;
  RunReport report_;
  std::size_t passed_ = 0;  ///< single passes begun
  std::size_t failures_in_a_row_ = 0;
  std::set<const Point*> refused_;  ///< points that cannot be measured as they ask
  std::set<const Point*> failed_;   ///< points whose transport failed
};

}  // namespace

std::string row_id(const Point& point, Metric metric) {
  return fmt::format("{}:{}:{}", point.experiment, point.layout.to_string(), metric_name(metric));
}

RunReport run_plan(const Plan& plan, const Bench& bench, const std::string& platform,
                   const Environment& environment, RowFile& rows) {
  return Runner{plan, bench, platform, environment, rows}.run();
}

}  // namespace qpcast::hw
