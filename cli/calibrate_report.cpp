#include "cli/calibrate_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/report.hpp"
#include "cli/terminal.hpp"
#include "validate/compare.hpp"

namespace qpcast::cli {

void print_warnings(const calibrate::Warnings& warnings) {
  for (const auto& w : warnings)
    fmt::print(stderr, "qpcast: warning: {}: {}: {}\n", w.name, w.where, w.text);
}

void print_rows(const calibrate::Calibration& c) {
  Table table{
      {"<row", "<platform", "<metric", "measured", "fitted", "error, %", "left out, %", "<"}};
  for (const auto& r : c.rows)
    table.row({r.id, r.platform, std::string{metric_name(r.metric)}, number(r.measured),
               number(r.predicted), fmt::format("{:.1f}", 100 * r.error),
               fmt::format("{:.1f}", 100 * r.left_out_error),
               fmt::format("{}{}", r.determined_elsewhere ? "" : "alone on a parameter ",
                           r.outlier ? "outlier" : "")});
  fmt::print("{}\n", table.text());
  for (const auto& [id, reason] : c.not_modelled) fmt::print("not modelled: {}: {}\n", id, reason);
}

void print_summary(const calibrate::Calibration& c) {
  Table table{{"<mechanism", "rows", "parameters determined"}};
  for (const auto& m : c.mechanisms)
    table.row({m.mechanism, fmt::format("{}", m.rows), fmt::format("{}", m.parameters)});
  fmt::print("\n{}\n", table.text());
  const auto s = calibrate::summarise(c);
  fmt::print(
      "{} rows used, {} not modelled; {} free parameters, {} assumed; effective parameters "
      "{:.1f}\n",
      c.rows.size(), c.not_modelled.size(), c.free_parameters, c.assumed_parameters,
      c.effective_parameters);
  fmt::print(
      "residuals: median {:.1f} %, nine in ten within {:.1f} %; unexplained spread {:.1f} % of "
      "times, {:.1f} % of rates, {:.1f} % of round trips\n",
      100 * s.median_error, 100 * s.p90_error, 100 * c.discrepancy.times, 100 * c.discrepancy.rates,
      100 * c.discrepancy.probes);
  fmt::print(
      "leave-one-out: median {:.1f} % over the {} rows whose parameters other rows determine too\n",
      100 * s.median_left_out, s.shared_rows);
}

void print_intervals(const char* title, const std::vector<calibrate::Interval>& intervals) {
  if (intervals.empty()) return;
  Table table{{"<parameter", "value", "90 % lo", "hi"}};
  for (const auto& i : intervals) table.row({i.name, number(i.value), number(i.lo), number(i.hi)});
  fmt::print("\n{}\n{}", bold(title), table.text());
}

void print_transfer(const std::vector<calibrate::Transferred>& list) {
  if (list.empty()) return;
  Table table{{"<parameter", "<unit", "parent", "value", "90 % lo", "hi", "<"}};
  for (const auto& t : list)
    table.row({t.name, t.unit, t.parent > 0 ? number(t.parent) : "-", number(t.value), number(t.lo),
               number(t.hi), calibrate::fate_name(t.fate)});
  fmt::print("\n{}\n{}", bold("derived from the parent platform"), table.text());
  fmt::print(
      "Priors: the parent's intervals, widened by its own unexplained spread where a parameter is "
      "the same everywhere,\nand by the parameter's general spread where machines differ (its "
      "link, its host, another NIC).\nrefitted: new rows narrowed it by a tenth or moved it by "
      "half "
      "its deviation; kept: they did not.\n");
}

void print_identifiability(const std::string& platform, const calibrate::Identifiability& result) {
  fmt::print("\n{}\n", bold(fmt::format("what the data left open on {}", platform)));
  Table table{
      {"<parameter", "value", "<unit", "prior sd", "posterior sd", "<would be determined by"}};
  for (const auto& p : result.open) {
    std::vector<std::string> names;
    for (const auto& r : p.remedies) names.push_back(fmt::format("'{}'", r.experiment));
    table.row({p.name, number(p.value), p.unit, fmt::format("{:.2f}", p.prior_sd),
               fmt::format("{:.2f}", p.posterior_sd),
               names.empty() ? "no experiment of measure on this machine"
                             : fmt::format("--experiment {}", fmt::join(names, " or "))});
  }
  fmt::print("{}", table.text());
  for (const auto& c : result.correlated)
    fmt::print("{} and {} are only determined together (correlation {:+.2f})\n", c.first, c.second,
               c.correlation);
}

namespace {

validate::Comparison compare(const std::vector<calibrate::HeldOut>& held_out) {
  std::vector<Measurement> rows;
  for (const auto& h : held_out) rows.push_back(h.row);
  std::size_t next = 0;
  return validate::compare(
      rows, [&](const Measurement&) { return held_out[next++].answer; }, 0);
}

}  // namespace

void print_hold_out(const std::vector<calibrate::HeldOut>& held_out) {
  if (held_out.empty()) return;
  const auto c = compare(held_out);
  const auto line = [](const std::string& what, const validate::Summary& s) {
    if (s.modelled > 0)
      fmt::print(
          "{:<20} {:>4} rows, median error {:.1f} %, nine in ten within {:.1f} %, {:.0f} % "
          "inside their 90 % interval\n",
          what, s.modelled, 100 * s.median_error, 100 * s.p90_error, 100 * s.interval_coverage);
  };
  fmt::print("\n{}\n", bold("hold-out: each half of the layouts forecast from a fit to the other"));
  line("all", c.summary());
  for (const auto& [name, s] :
       c.by([](const validate::RowResult& r) { return std::string{metric_name(r.row.metric)}; }))
    line("  " + name, s);
}

nlohmann::ordered_json hold_out_to_json(const std::vector<calibrate::HeldOut>& held_out) {
  const auto s = compare(held_out).summary();
  return {{"rows", s.modelled},
          {"median_error", s.median_error},
          {"p90_error", s.p90_error},
          {"interval_coverage", s.interval_coverage}};
}

}  // namespace qpcast::cli
