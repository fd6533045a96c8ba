#include "calibrate/import/perftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace qpcast::import {

namespace {

std::string info_of(const PerftestRun& run, const std::string& key, const char* fallback) {
  const auto it = run.info.find(key);
  return it == run.info.end() ? fallback : it->second;
}

/// "128", "1024[B]".
double count_of(const PerftestRun& run, const std::string& key, double fallback) {
  const auto it = run.info.find(key);
  if (it == run.info.end()) return fallback;
  const auto n = leading_number(it->second);
  return n ? n->value : fallback;
}

bool contains(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

void require_write(const PerftestRun& run, const RowWriter& rows) {
  if (!contains(run.test, "RDMA_Write") && !contains(run.test, "RDMA Write"))
    rows.fail(run.line, run.test, "only ib_write_bw and ib_write_lat have a mechanism");
  const auto type = info_of(run, "Connection type", "RC");
  if (type != "RC" && type != "DC")
    rows.fail(run.line, "Connection type", fmt::format("{} has no mechanism; RC or DC", type));
}

Layout layout_of(const PerftestRun& run, const PerftestResult& r) {
  const double payload = r.columns.at("bytes");
  Layout l;
  l.set(Key::submitter, Submitter::host);
  l.set(Key::threads, 1);
  l.set(Key::workers, 1);
  l.set(Key::qps, count_of(run, "Number of qps", 1));
  l.set(Key::batch, count_of(run, "Post List", 1));
  l.set(Key::payload, payload);
  l.set(Key::inline_data, payload <= count_of(run, "Max inline data", 0) ? 1 : 0);
  l.set(Key::queue_memory, Memory::host);
  l.set(Key::transport,
        info_of(run, "Connection type", "RC") == "DC" ? Transport::dc : Transport::rc);
  return l;
}

std::map<std::string, std::string> environment_of(const PerftestRun& run) {
  std::map<std::string, std::string> e{{"perftest", run.test}};
  constexpr std::pair<const char*, const char*> kept[] = {{"Device", "nic"},
                                                          {"Mtu", "nic.mtu"},
                                                          {"Link type", "nic.link_layer"},
                                                          {"TX depth", "tx_depth"},
                                                          {"CQ Moderation", "cq_moderation"}};
  for (const auto& [from, to] : kept)
    if (const auto it = run.info.find(from); it != run.info.end()) e[to] = it->second;
  return e;
}

Measurement& finish(Measurement& m, const PerftestRun& run) {
  m.environment = environment_of(run);
  if (run.cut_off) m.note = "of a run that was cut off";
  return m;
}

/// Rate, or goodput where its digits say more.
void add_bandwidth(const PerftestRun& run, const PerftestResult& r, RowWriter& rows) {
  auto layout = layout_of(run, r);
  const double qps = layout.number(Key::qps, 1);
  const bool both = contains(run.test, "Bidirectional");
  const double window = qps * count_of(run, "TX depth", 128);
  if (window <= field(Key::window).highest) layout.set(Key::window, window);  // else: no limit
  layout.set(Key::role, both ? Role::bidirectional : Role::send);
  layout.set(Key::writes_per_visit,
             std::max(count_of(run, "CQ Moderation", 1), layout.number(Key::batch, 1)));
  const double directions = both ? 2 : 1;
  const double payload = r.columns.at("bytes");
  const auto column = [&](const char* name) {
    const auto it = r.columns.find(name);
    return it == r.columns.end() ? std::nan("") : it->second / directions;
  };
  const double rate = column("rate");
  const bool gigabits = r.columns.contains("Gb/s");
  const double goodput = gigabits ? column("Gb/s") / 8 : column("MiB/s") * 1048576 * 1e-9;
  const auto some = [](double v) { return v > 0 && std::isfinite(v); };
  if (!some(rate) && !some(goodput)) {
    rows.warn(r.line,
              fmt::format("{} B: a rate of {} is none; the row is left out", payload, rate));
    return;
  }
  if (r.columns.contains("rate") && !some(rate) && rate != 0)
    rows.warn(r.line,
              fmt::format("{} B: no message rate ({}); the bandwidth is taken", payload, rate));
  const double disagreement = std::abs(goodput / (rate * payload * 1e-3) - 1);
  const double digits = 0.006 * (gigabits ? 0.125 : 1048576e-9) / directions / goodput;
  if (std::isfinite(disagreement) && disagreement > 0.02 + digits + 6e-7 / rate)
    rows.fail(r.line, fmt::format("{} B", payload),
              fmt::format("bandwidth and message rate disagree: {:.4g} and {:.4g} GB/s; is the "
                          "unit of the header right?",
                          goodput, rate * payload * 1e-3));
  // Half of the last printed digit, relative: 1e-6 messages/us against 0.01 MiB/s or Gb/s.
  const bool by_rate = !(goodput > 0) || (rate > 0 && 5e-7 / rate <= digits);
  finish(by_rate ? rows.add(r.line, layout, Metric::rate, rate)
                 : rows.add(r.line, layout, Metric::goodput, goodput),
         run);
}

void add_latency(const PerftestRun& run, const PerftestResult& r, RowWriter& rows) {
  const auto layout = layout_of(run, r);
  const auto typical = r.columns.find("t_typical"), mean = r.columns.find("t_avg");
  const auto tail = r.columns.find("p99");
  const double half = typical != r.columns.end() ? typical->second
                      : mean != r.columns.end()  ? mean->second
                                                 : 0;
  if (!(half > 0) || !std::isfinite(half)) {
    rows.warn(r.line, fmt::format("{} B: a latency of {} is none; the row is left out",
                                  r.columns.at("bytes"), half));
    return;
  }
  finish(rows.add(r.line, layout, Metric::rtt, 2 * half), run);
  if (tail != r.columns.end() && tail->second > 0 && std::isfinite(tail->second))
    finish(rows.add(r.line, layout, Metric::rtt_p99, 2 * tail->second), run);
}

}  // namespace

void add_rows(const PerftestRun& run, RowWriter& rows) {
  require_write(run, rows);
  if (run.cut_off && !rows.options().partial)
    rows.fail(run.cut_off, run.test,
              fmt::format("the run was cut off after {} complete rows{}; --partial takes them",
                          run.results.size(), run.remark.empty() ? "" : ", saying: " + run.remark));
  if (run.cut_off)
    rows.warn(run.cut_off, fmt::format("the run was cut off; its {} complete rows are taken",
                                       run.results.size()));
  const bool latency = contains(run.test, "Latency");
  for (const auto& r : run.results)
    latency ? add_latency(run, r, rows) : add_bandwidth(run, r, rows);
}

namespace {

/// A table that says the same as an earlier one, number by number, is a copy of it: no run repeats
/// every digit. @return the earlier one's index
std::optional<std::size_t> copy_of(const std::vector<PerftestRun>& runs, std::size_t index) {
  const auto& run = runs[index];
  for (std::size_t i = 0; i < index && !run.results.empty(); ++i)
    if (runs[i].test == run.test && runs[i].info == run.info &&
        std::ranges::equal(runs[i].results, run.results, &PerftestResult::says_as))
      return i;
  return std::nullopt;
}

}  // namespace

Imported perftest(const std::string& text, const std::string& source, const Options& options) {
  RowWriter rows{source, options};
  const bool json = trimmed(text.substr(0, text.find('\n'))).starts_with('{');
  const auto runs = json ? parse_perftest_json(text, rows) : parse_perftest_text(text, rows);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const auto first = copy_of(runs, i))
      rows.warn(runs[i].line,
                fmt::format("duplicate-table: {} says the same as that at line {}, digit by digit; "
                            "it is left out",
                            runs[i].test, runs[*first].line));
    else
      add_rows(runs[i], rows);
  return rows.take();
}

}  // namespace qpcast::import
