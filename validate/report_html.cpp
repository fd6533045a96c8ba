#include "validate/report_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "validate/chart.hpp"

namespace qpcast::validate {

namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #ffffff; --dim: #5f6b76; --rule: #d5dbe1;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #8a6d00; --c5: #56b4e9;
  --c6: #7b3fa0; --c7: #8c564b; --c8: #4d4d4d; --c9: #b22222;
  --ca: #1f6f54; --cb: #a0527a; --cc: #3b5bdb; --cd: #c77700; --ce: #5c7a29; --cf: #00838f; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6e9ec; --bg: #14181c; --dim: #9aa5b0;
  --rule: #343c44; --c0: #4aa8e0; --c1: #f08a3c; --c2: #35c49a; --c4: #d8b530; --c6: #b48ad6;
  --c8: #b0b0b0; --c9: #f07070; --ca: #5fbf9a; --cb: #d58ab0; --cc: #8fa4ff; --ce: #a3c55e;
  --cf: #4dd0e1; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--fg); background: var(--bg);
  max-width: 1200px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-size: 12px; }
th, td { padding: 2px 8px; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.id { font-family: ui-monospace, monospace; } .out { color: var(--c9); font-weight: 600; }
.dim { color: var(--dim); } .wide { overflow-x: auto; } .charts { display: flex; flex-wrap: wrap; }
figure { margin: 0 1em 1em 0; width: 470px; } figcaption { font-size: 11px; overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--fg); }
svg .title { font-weight: 600; } svg .grid { stroke: var(--rule); stroke-width: 0.6; }
svg .equal { stroke: var(--fg); stroke-width: 1; }
svg .limit { stroke: var(--dim); stroke-width: 1; stroke-dasharray: 4 3; }
svg .bar { stroke-width: 1; opacity: 0.45; } svg path { stroke-width: 1.5; opacity: 0.8; }
.key { display: inline-block; width: 0.8em; height: 0.8em; margin: 0 0.3em 0 1em; }
)";

std::string number(double v) { return fmt::format("{:.4g}", v); }
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string cell(const std::string& text, const char* kind = "") {
  return *kind ? fmt::format(R"(<td class="{}">{}</td>)", kind, escaped(text))
               : fmt::format("<td>{}</td>", escaped(text));
}

/// A header whose columns after the first `texts` are numbers, down to the last `tail`.
std::string header(std::initializer_list<const char*> names, const std::set<int>& numeric) {
  std::string out = "<thead><tr>";
  int k = 0;
  for (const auto* name : names)
    out += fmt::format("<th{}>{}</th>", numeric.contains(k++) ? R"( class="n")" : "", name);
  return out + "</tr></thead>";
}

std::string mechanism_of(const RowResult& r) { return r.modelled ? r.mechanism : "(not modelled)"; }
bool emulated(const RowResult& r) { return r.row.source.kind == "emulated"; }
std::string metric_of(const RowResult& r) { return std::string{metric_name(r.row.metric)}; }

/// What the charts tell rows apart by, each with its colour.
std::map<std::string, int> colours_of(const Comparison& c) {
  std::map<std::string, int> colours;
  for (const auto& r : c.rows)
    if (r.modelled) colours.emplace(r.mechanism, 0);
  int next = 0;
  for (auto& [name, colour] : colours) colour = next++;
  return colours;
}

std::string legend(const std::map<std::string, int>& colours) {
  std::string out = "<p>";
  for (const auto& [name, colour] : colours)
    out += fmt::format("<span class=\"key\" style=\"background: var(--c{:x})\"></span>{}",
                       colour % palette_size, escaped(name.empty() ? "none" : name));
  return out + "</p>";
}

std::string tip_of(const RowResult& r) {
  return fmt::format("{}: {} measured{} {} {}, predicted {} ({} to {})", r.row.id, metric_of(r),
                     emulated(r) ? " (emulated)" : "", number(r.row.value), r.row.unit,
                     number(r.predicted.value), number(r.predicted.lo), number(r.predicted.hi));
}

std::string summary(const Comparison& c) {
  const auto s = c.summary();
  std::string out = fmt::format(
      "<p>{} rows, {} of them modelled; {} within {:.0f} % or the range that their source "
      "states.</p>",
      s.rows, s.modelled, s.within_tolerance, 100 * c.tolerance);
  if (s.modelled > 0)
    out +=
        fmt::format("<p>Median error {}, nine in ten within {}; {} inside their 90 % interval.</p>",
                    percent(s.median_error), percent(s.p90_error), percent(s.interval_coverage));
  if (std::any_of(c.rows.begin(), c.rows.end(), emulated))
    out += R"(<p class="out">Some rows were measured on an emulated NIC.</p>)";
  return out;
}

std::string groups(const Comparison& c, const char* name,
                   const std::function<std::string(const RowResult&)>& key) {
  std::string out = "<table>" + header({name, "rows", "modelled", "median error", "nine in ten",
                                        "inside 90 % interval"},
                                       {1, 2, 3, 4, 5});
  out += "<tbody>";
  for (const auto& [group, s] : c.by(key)) {
    out += "<tr>" + cell(group) + cell(std::to_string(s.rows), "n") +
           cell(std::to_string(s.modelled), "n");
    for (const double v : {s.median_error, s.p90_error, s.interval_coverage})
      out += cell(s.modelled > 0 ? percent(v) : "", "n");
    out += "</tr>\n";
  }
  return out + "</tbody></table>";
}

/// Predicted against measured, a chart for every unit that values are stated in.
std::string scatter(const Comparison& c, const std::map<std::string, int>& colours) {
  std::map<std::string, std::map<std::string, ChartSeries>> by_unit;
  for (const auto& r : c.rows) {
    if (!r.modelled) continue;
    auto& s = by_unit[r.row.unit][r.mechanism];
    s.name = r.mechanism;
    s.colour = colours.at(r.mechanism);
    s.points.push_back({r.row.value, r.predicted.value, r.predicted.lo, r.predicted.hi, tip_of(r)});
  }
  std::string out = R"(<div class="charts">)";
  for (auto& [unit, series] : by_unit) {
    if (series.size() == 1 && series.begin()->second.points.size() == 1) continue;  // no picture
    Chart chart{unit == "x" ? "ratios" : unit,
                "measured, " + unit,
                "predicted, " + unit,
                {},
                c.tolerance,
                true};
    for (auto& [name, s] : series) chart.series.push_back(std::move(s));
    out += svg(chart) + "\n";
  }
  return out + "</div>";
}

/// Keys along which rows make a curve.
constexpr Key sweep_keys[] = {Key::batch,   Key::qps,     Key::contexts, Key::active_qps,
                              Key::threads, Key::workers, Key::payload,  Key::clock_mhz};

/// Rows that differ in one key only, by a name that says which and what the rest is.
std::map<std::string, std::vector<const RowResult*>> sweeps_along(Key key, const Comparison& c) {
  std::map<std::string, std::vector<const RowResult*>> out;
  for (const auto& r : c.rows) {
    if (!r.modelled || r.row.statistic != Statistic::value) continue;
    if (!r.row.layout.has(key) || r.row.layout.number(key, 0) <= 0) continue;
    if (r.row.metric == Metric::goodput && key != Key::payload) continue;  // the rate's curve
    auto rest = r.row.layout;
    rest.clear(key);
    out[fmt::format("{} {} {}{}: {}", r.row.platform, r.row.library, metric_of(r),
                    emulated(r) ? " (emulated)" : "", rest.to_string())]
        .push_back(&r);
  }
  std::erase_if(out, [&](const auto& item) {
    std::set<double> values;
    for (const auto* r : item.second) values.insert(r->row.layout.number(key, 0));
    return values.size() < 3;
  });
  return out;
}

Chart curve(Key key, std::vector<const RowResult*> rows) {
  std::sort(rows.begin(), rows.end(), [&](const RowResult* a, const RowResult* b) {
    return a->row.layout.number(key, 0) < b->row.layout.number(key, 0);
  });
  ChartSeries measured{"measured", {}, 1, false}, predicted{"predicted", {}, 0, true};
  for (const auto* r : rows) {
    const double x = r->row.layout.number(key, 0);
    measured.points.push_back({x, r->row.value, 0, 0, tip_of(*r)});
    predicted.points.push_back(
        {x, r->predicted.value, r->predicted.lo, r->predicted.hi, tip_of(*r)});
  }
  const auto& first = rows.front()->row;
  const std::string name{field(key).name};
  const auto subject = first.library.empty() ? first.platform : first.library;
  return {fmt::format("{} of {} against {}", metric_name(first.metric), subject, name),
          name,
          fmt::format("{}, {}", metric_name(first.metric), first.unit),
          {std::move(predicted), std::move(measured)},
          0,
          false};
}

std::string sweeps(const Comparison& c) {
  std::string out = legend({{"predicted, 90 % interval", 0}, {"measured", 1}});
  out += R"(<div class="charts">)";
  std::size_t drawn = 0, left_out = 0;
  for (const Key key : sweep_keys)
    for (const auto& [name, rows] : sweeps_along(key, c)) {
      if (drawn == most_sweeps) {
        ++left_out;
        continue;
      }
      ++drawn;
      out += fmt::format("<figure>{}<figcaption class=\"dim\">{}</figcaption></figure>\n",
                         svg(curve(key, rows)), escaped(name));
    }
  out += "</div>";
  if (drawn == 0) out += "<p>No three rows differ in one key only.</p>";
  if (left_out > 0) out += fmt::format("<p>{} more sweeps are not drawn.</p>", left_out);
  return out;
}

std::string row_line(const RowResult& r, double tolerance) {
  const auto& m = r.row;
  std::string out = fmt::format("<tr>{}{}{}{}", cell(m.id, "id"), cell(m.platform), cell(m.library),
                                cell(m.layout.to_string()));
  if (m.baseline) out.insert(out.size() - 5, escaped(" against " + m.baseline->to_string()));
  out += cell(metric_of(r)) + cell(number(m.value), "n") + cell(m.unit);
  if (!r.modelled)
    return out + R"(<td colspan="5" class="dim">not modelled: )" + escaped(r.reason) + "</td>" +
           cell(m.source.kind) + "</tr>\n";
  const bool fine = r.acceptable(tolerance);
  out += cell(number(r.predicted.value), "n") + cell(number(r.predicted.lo), "n") +
         cell(number(r.predicted.hi), "n") + cell(percent(r.error), fine ? "n" : "n out") +
         cell(r.inside_interval ? "in" : "out");
  return out + cell(m.source.kind) + "</tr>\n";
}

std::string row_table(const Comparison& c) {
  std::string out = R"(<div class="wide"><table>)" +
                    header({"row", "platform", "library", "layout", "metric", "measured", "unit",
                            "predicted", "90 % lo", "hi", "error", "interval", "source"},
                           {5, 7, 8, 9, 10}) +
                    "<tbody>";
  for (const auto& r : c.rows) out += row_line(r, c.tolerance);
  return out + "</tbody></table></div>";
}

const char* provenance_of(const Parameter& p) {
  return p.provenance == Provenance::fitted      ? "fitted"
         : p.provenance == Provenance::published ? "published"
                                                 : "assumed";
}

std::string parameters(const Platform& p) {
  std::string out = fmt::format(
      R"(<h3>{}{}</h3><p class="dim">{}; from {}; unexplained spread {} of times, {} of rates, {} of round trips</p>)",
      escaped(p.name), p.emulated ? " (emulated)" : "", escaped(p.facts.description),
      escaped(p.calibrated_from), percent(p.discrepancy.times), percent(p.discrepancy.rates),
      percent(p.discrepancy.probes));
  out +=
      R"(<div class="wide"><table>)" +
      header({"parameter", "value", "90 % lo", "hi", "unit", "", "rows that determine it", "note"},
             {1, 2, 3}) +
      "<tbody>";
  constexpr std::size_t named = 5;
  for (const auto& q : p.parameters) {
    std::string rows;
    for (std::size_t i = 0; i < std::min(named, q.rows.size()); ++i)
      rows += (i ? ", " : "") + q.rows[i];
    if (q.rows.size() > named) rows += fmt::format(" and {} more", q.rows.size() - named);
    out += "<tr>" + cell(q.name, "id") + cell(number(q.value), "n") + cell(number(q.lo), "n") +
           cell(number(q.hi), "n") + cell(q.unit) +
           cell(provenance_of(q), q.provenance == Provenance::assumed ? "dim" : "") + cell(rows) +
           cell(q.note) + "</tr>\n";
  }
  return out + "</tbody></table></div>";
}

std::string warnings(const Comparison& c) {
  std::map<std::string, int> counts;
  for (const auto& r : c.rows)
    for (const auto& w : r.warnings) ++counts[w];
  if (counts.empty()) return "<p>None.</p>";
  std::string out = "<table>" + header({"warning", "rows"}, {1}) + "<tbody>";
  for (const auto& [warning, count] : counts)
    out += "<tr>" + cell(warning) + cell(std::to_string(count), "n") + "</tr>\n";
  return out + "</tbody></table>";
}

}  // namespace

std::string to_html(const Comparison& c, const std::map<std::string, Platform>& platforms,
                    const std::string& title) {
  const auto colours = colours_of(c);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head>"
      R"(<meta charset="utf-8"/>)"
      R"(<meta name="viewport" content="width=device-width, initial-scale=1"/>)"
      "<title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      escaped(title), style);
  const auto section = [&](const char* name, const std::string& content) {
    out += fmt::format("<h2>{}</h2>\n{}\n", name, content);
  };
  out += summary(c);
  section("Predicted against measured", legend(colours) + scatter(c, colours));
  section("Sweeps", sweeps(c));
  section("Errors and interval coverage by mechanism",
          groups(c, "mechanism that moves the row most", mechanism_of));
  section("By metric", groups(c, "metric", metric_of));
  section("Warnings", warnings(c));
  section("Rows", row_table(c));
  std::string all;
  for (const auto& [name, platform] : platforms) all += parameters(platform);
  section("Platform parameters", all);
  return out + "</body></html>\n";
}

}  // namespace qpcast::validate
