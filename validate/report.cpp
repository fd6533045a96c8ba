#include "validate/report.hpp"

#include <fmt/format.h>

namespace qpcast::validate {

namespace {

using nlohmann::ordered_json;

ordered_json row_to_json(const RowResult& r) {
  ordered_json j;
  j["id"] = r.row.id;
  j["platform"] = r.row.platform;
  j["library"] = r.row.library;
  j["layout"] = r.row.layout.to_string();
  j["metric"] = metric_name(r.row.metric);
  j["statistic"] = r.row.statistic == Statistic::value   ? "value"
                   : r.row.statistic == Statistic::ratio ? "ratio"
                                                         : "delta";
  j["unit"] = r.row.unit;
  j["source"] = r.row.source.kind;
  j["measured"] = r.row.value;
  j["modelled"] = r.modelled;
  if (!r.modelled) {
    j["predicted"] = nullptr;
    j["reason"] = r.reason;
    return j;
  }
  j["predicted"] = r.predicted.value;
  j["lo"] = r.predicted.lo;
  j["hi"] = r.predicted.hi;
  j["relative_error"] = r.error;
  j["inside_interval"] = r.inside_interval;
  j["inside_published_range"] = r.inside_range;
  j["mechanism"] = r.mechanism;
  j["warnings"] = r.warnings;
  return j;
}

ordered_json summary_to_json(const Summary& s) {
  return {{"rows", s.rows},
          {"modelled", s.modelled},
          {"not_modelled", s.rows - s.modelled},
          {"within_tolerance", s.within_tolerance},
          {"median_error", s.median_error},
          {"p90_error", s.p90_error},
          {"interval_coverage", s.interval_coverage}};
}

std::string markdown_line(const std::string& name, const Summary& s) {
  if (s.modelled == 0) return fmt::format("| {} | {} | 0 | | | |\n", name, s.rows);
  return fmt::format("| {} | {} | {} | {:.1f} | {:.1f} | {:.0f} |\n", name, s.rows, s.modelled,
                     100 * s.median_error, 100 * s.p90_error, 100 * s.interval_coverage);
}

}  // namespace

ordered_json to_json(const Comparison& c) {
  ordered_json j;
  j["schema"] = "qpcast.validation/1";
  j["tolerance"] = c.tolerance;
  j["summary"] = summary_to_json(c.summary());
  j["repeated_rates"] = c.repeated;
  j["rows"] = ordered_json::array();
  for (const auto& r : c.rows) j["rows"].push_back(row_to_json(r));
  return j;
}

std::string to_markdown(const Comparison& c) {
  std::string out =
      "| mechanism that moves the row most | rows | modelled | median error, % | nine in ten "
      "within, % | inside 90 % interval, % |\n|---|--:|--:|--:|--:|--:|\n";
  const auto groups =
      c.by([](const RowResult& r) { return r.modelled ? r.mechanism : "(not modelled)"; });
  for (const auto& [name, summary] : groups) out += markdown_line(name, summary);
  return out + markdown_line("**all**", c.summary());
}

}  // namespace qpcast::validate
