#include "calibrate/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibrate/problem.hpp"
#include "model/error.hpp"
#include "model/repeats.hpp"

namespace qpcast::calibrate {

const std::set<std::string> acceptable{"contradictory-rows", "unit-off-by-1000"};

namespace {

std::string place(const Measurement& m) { return m.where.empty() ? m.id : m.where; }

/// An error, unless the caller takes it as a warning.
void report(const std::string& name, const std::string& where, const std::string& text,
            const std::set<std::string>& accept, Warnings& warnings) {
  if (!accept.contains(name))
    throw InputError{where, name,
                     fmt::format("{} (--accept {} goes on with a warning)", text, name)};
  warnings.push_back({name, where, text});
}

/// What makes a device this one and no other.
constexpr const char* identity[] = {"gpu",      "gpu.sms",  "cpu",     "cpu.count",  "nic",
                                    "nic.mode", "nic.link", "nic.mtu", "nic.imposed"};
/// What may differ between runs on one device, and is worth knowing.
constexpr const char* versions[] = {"kernel", "gpu.driver", "nic.firmware", "qpcast"};

std::string entry(const Measurement& m, const std::string& key) {
  const auto it = m.environment.find(key);
  return it == m.environment.end() ? std::string{} : it->second;
}

/// The first row of the platform that says something else than `first` under the key.
const Measurement* first_other(const std::vector<const Measurement*>& rows,
                               const std::string& key) {
  const auto value = entry(*rows.front(), key);
  for (const auto* row : rows)
    if (const auto other = entry(*row, key); !other.empty() && !value.empty() && other != value)
      return row;
  return nullptr;
}

void check_devices(const std::string& platform, const std::vector<const Measurement*>& rows,
                   Warnings& warnings) {
  const auto& first = *rows.front();
  for (const auto* row : rows)
    if (row->source.kind != first.source.kind && !row->environment.empty() &&
        !first.environment.empty())
      throw InputError{place(*row), "source.kind",
                       fmt::format("'{}' but {} is '{}', both on platform '{}'; calibrate each "
                                   "device by itself (qpcast measure --platform NAME)",
                                   row->source.kind, place(first), first.source.kind, platform)};
  for (const auto* key : identity)
    if (const auto* other = first_other(rows, key))
      throw InputError{place(*other), fmt::format("environment.{}", key),
                       fmt::format("'{}' but {} has '{}', both on platform '{}'; rows of several "
                                   "devices are not mixed: calibrate each by itself (qpcast "
                                   "measure --platform NAME)",
                                   entry(*other, key), place(first), entry(first, key), platform)};
  for (const auto* key : versions)
    if (const auto* other = first_other(rows, key))
      warnings.push_back({"mixed-versions", place(*other),
                          fmt::format("{} is '{}', but '{}' in {}", key, entry(*other, key),
                                      entry(first, key), place(first))});
}

/// Two values of one layout and metric: far apart, in units of what both say of their spread.
void check_agreement(const std::vector<Measurement>& rows, const std::set<std::string>& accept,
                     Warnings& warnings) {
  constexpr double far = 4, hopeless = 3;  // standard deviations; a factor
  std::map<std::string, std::vector<const Measurement*>> same;
  for (const auto& m : rows)
    if (m.statistic != Statistic::delta) same[observation(m)].push_back(&m);
  for (const auto& [unused, group] : same)
    for (std::size_t i = 1; i < group.size(); ++i) {
      const auto &a = *group.front(), &b = *group[i];
      const double factor = std::exp(std::abs(std::log(a.value / b.value)));
      if (std::log(factor) <= far * std::hypot(noise_of(a), noise_of(b))) continue;
      const auto text = fmt::format(
          "{} of {} is {:.4g} {} here and {:.4g} at {}: a factor of {:.2g}, far more than their "
          "spread; which one is right?",
          metric_name(b.metric), b.layout.to_string(), b.value, b.unit, a.value, place(a), factor);
      if (factor > hopeless)
        report("contradictory-rows", place(b), text, accept, warnings);
      else
        warnings.push_back({"contradictory-rows", place(b), text});
    }
}

void check_variance(const std::vector<Measurement>& rows, Warnings& warnings) {
  for (const auto& m : rows)
    if (m.passes > 1 && (m.spread ? *m.spread == 0 : m.lo && m.hi && *m.lo == *m.hi))
      warnings.push_back(
          {"zero-variance", place(m),
           fmt::format("{} passes gave the very same {}: a counter's resolution, or one value "
                       "copied; its noise is taken as 5 %",
                       m.passes, metric_name(m.metric))});
}

std::vector<Measurement> once(const std::vector<Measurement>& rows, Warnings& warnings) {
  const auto repeats = repeats_of_rates(rows);
  std::vector<Measurement> kept;
  std::map<std::string, int> repeated;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (repeats[i])
      ++repeated[rows[i].platform];
    else
      kept.push_back(rows[i]);
  for (const auto& [platform, count] : repeated)
    warnings.push_back({"repeated-observation", platform,
                        fmt::format("{} goodput rows are payload times a rate that is there too; "
                                    "the fit counts each observation once",
                                    count)});
  return kept;
}

/// What no machine does, in the metric's unit: below a clock cycle or above a minute; more
/// messages than 10,000 NICs; more bytes than any memory moves.
std::pair<double, double> possible(Metric metric) {
  const auto unit = metric_unit(metric);
  if (unit == "us") return {1e-3, 6e7};
  if (unit == "Mmsg/s") return {1e-8, 1e7};
  if (unit == "GB/s") return {1e-9, 1e6};
  return {0, INFINITY};
}

/// 1,000 or 1/1,000 when the ratio is within a factor `within` of it, else 1.
double thousandfold(double ratio, double within) {
  for (const double factor : {1e3, 1e-3})
    if (std::abs(std::log(ratio / factor)) < std::log(within)) return factor;
  return 1;
}

/// A tail has no upper end, and rows whose passes differ by more than themselves tell no factor.
bool tells_unit(const Measurement& m) {
  constexpr double vague = 0.7;
  return m.statistic == Statistic::value && m.metric != Metric::rtt_p99 && noise_of(m) < vague;
}

std::string unit_text(const Measurement& m, double expected, double factor, const char* what) {
  return fmt::format("{} {:.4g} {} is {} {:.4g}: a factor of about {}; in another unit, or a typo?",
                     metric_name(m.metric), m.value, m.unit, what, expected,
                     factor > 1 ? "1,000 too large" : "1,000 too small");
}

bool is_time(Metric metric) { return metric_unit(metric) == "us"; }

/// Median slowness of the same platform's rows of other metrics; nothing where there are too few to
/// say what is usual there.
template <class Lists>
std::optional<double> median_of_others(const Lists& slowness, const std::pair<int, Metric>& key) {
  constexpr std::size_t enough = 3;
  std::vector<double> others;
  for (const auto& [other, list] : slowness)
    if (other.first == key.first && other.second != key.second)
      for (const auto& entry : list) others.push_back(entry.first);
  if (others.size() < enough) return std::nullopt;
  std::sort(others.begin(), others.end());
  return others[others.size() / 2];
}

}  // namespace

Checked check_rows(const std::vector<Measurement>& rows, const std::set<std::string>& accept) {
  if (rows.empty()) throw InputError{"calibrate", "data", "no rows"};
  Checked c;
  std::map<std::string, std::vector<const Measurement*>> by_platform;
  for (const auto& m : rows) by_platform[m.platform].push_back(&m);
  for (const auto& [platform, members] : by_platform) check_devices(platform, members, c.warnings);
  check_agreement(rows, accept, c.warnings);
  check_variance(rows, c.warnings);
  c.rows = once(rows, c.warnings);
  std::map<std::string, int> count;
  for (const auto& m : c.rows) ++count[m.platform];
  for (const auto& [platform, n] : count)
    if (n < fewest_rows)
      c.warnings.push_back({"too-few-rows", platform,
                            fmt::format("{} {}; below {} no parameter counts as determined", n,
                                        n == 1 ? "row" : "rows", fewest_rows)});
  return c;
}

void check_finished(const std::string& file, const RunNotes& notes,
                    const std::set<std::string>& ids, Warnings& warnings) {
  const auto state = completeness(notes, ids);
  if (state.missing == 0) return;
  const auto failed = state.failed == 0 ? std::string{}
                                        : fmt::format(" ({} of points that failed, the first: {})",
                                                      state.failed, state.first_reason);
  warnings.push_back(
      {"unfinished-plan", file,
       fmt::format("{} of the {} rows that plan '{}' asks for {} missing{}; the same "
                   "qpcast measure command goes on",
                   state.missing, state.asked, state.plans, state.missing == 1 ? "is" : "are",
                   failed)});
}

void check_units(const std::vector<Measurement>& rows,
                 const std::map<std::string, PlatformFacts>& facts, const Presets& presets,
                 const std::set<std::string>& accept, Warnings& warnings) {
  for (const auto& m : rows) {
    if (m.statistic != Statistic::value) continue;
    const auto [lo, hi] = possible(m.metric);
    if (m.value < lo || m.value > hi)
      report("unit-off-by-1000", place(m),
             fmt::format("{} {:.4g} {}: no machine does that (it would lie within {:g} and {:g}); "
                         "a factor of 1,000 or more",
                         metric_name(m.metric), m.value, m.unit, lo, hi),
             accept, warnings);
  }
  Problem problem{rows, facts, presets};
  const auto predicted = problem.predict(problem.objective().prior);
  std::map<std::pair<int, Metric>, std::vector<std::pair<double, std::size_t>>> slowness;
  for (std::size_t i = 0; i < problem.data().size(); ++i) {
    const auto& d = problem.data()[i];
    if (!tells_unit(*d.row) || d.row->value <= 0) continue;
    const double ratio = std::log(d.row->value / predicted[static_cast<Eigen::Index>(i)]);
    slowness[{d.platform, d.row->metric}].emplace_back(is_time(d.row->metric) ? ratio : -ratio, i);
  }
  // Priors are good to an order of magnitude at best, and a slow machine is slow in every metric:
  // what counts is how a metric's middle half lies against the platform's others. Alone, an
  // adapter's metric is held against its priors; a program's may be as fast or slow as it likes.
  constexpr double within = 4, far_from_prior = 30;
  for (auto& [key, list] : slowness) {
    std::sort(list.begin(), list.end());
    const auto others = median_of_others(slowness, key);
    const bool program = problem.facts(key.first).nic_kind != NicKind::hardware;
    if (!others && program) continue;
    const auto at = list[list.size() / 2].second;
    const auto quartile = [&, &slow = list](std::size_t k) {
      return thousandfold(std::exp(slow[k * (slow.size() - 1) / 4].first - others.value_or(0)),
                          within);
    };
    if (quartile(1) == 1 || quartile(1) != quartile(3)) continue;
    // The others may be what is wrong: this metric must be far from its priors by itself.
    if (std::abs(list[list.size() / 2].first) < std::log(far_from_prior)) continue;
    const double factor = is_time(key.second) ? quartile(1) : 1 / quartile(1);
    const auto& m = *problem.data()[at].row;
    report("unit-off-by-1000", place(m),
           unit_text(m, predicted[static_cast<Eigen::Index>(at)], factor,
                     fmt::format("the median of {} rows of this metric; priors expect", list.size())
                         .c_str()),
           accept, warnings);
  }
}

void check_fit(const std::vector<Fitted>& rows, const std::set<std::string>& accept,
               Warnings& warnings) {
  constexpr double within = 3;
  std::map<std::string, int> count;
  for (const auto& f : rows) ++count[f.row->platform];
  for (const auto& f : rows) {
    const auto& m = *f.row;
    // Beside too few others, the fit says what the priors do.
    const bool others = count[m.platform] > fewest_rows;
    if (others && tells_unit(m) && f.predicted > 0) {
      const double factor = thousandfold(m.value / f.predicted, within);
      if (factor != 1)
        report("unit-off-by-1000", place(m),
               unit_text(m, f.predicted, factor, "where the other rows say"), accept, warnings);
    }
    if (f.outlier)
      warnings.push_back(
          {"outlier", place(m),
           fmt::format("{} of {} is {:.4g} {}, fitted {:.4g}: more than 3 standard "
                       "deviations; it weighs little",
                       metric_name(m.metric), m.layout.to_string(), m.value, m.unit, f.predicted)});
  }
}

}  // namespace qpcast::calibrate
