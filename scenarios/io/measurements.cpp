#include "scenarios/io/measurements.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "model/error.hpp"
#include "model/nearest.hpp"
#include "model/platform.hpp"
#include "scenarios/io/csv.hpp"
#include "scenarios/io/json_reader.hpp"
#include "scenarios/io/run_notes.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::io {

namespace {

using nlohmann::json;

constexpr const char* schema = "qpcast.measurement/1";
constexpr const char* columns[] = {"id",     "platform", "subject", "config", "baseline",
                                   "metric", "stat",     "value",   "lo",     "hi",
                                   "unit",   "section",  "note"};

/// Where a row stands, for messages.
struct Place {
  std::string source;
  std::size_t line;
  std::string text() const { return fmt::format("{}:{}", source, line); }
  [[noreturn]] void fail(const std::string& field, const std::string& advice) const {
    throw InputError{source, line, field, advice};
  }
};

double to_number(const std::string& text, const char* field, const Place& place) {
  double value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{} || stop != end || !std::isfinite(value))
    place.fail(field, fmt::format("'{}' is not a number", text));
  return value;
}

Statistic to_statistic(const std::string& text, const Place& place) {
  if (text == "value") return Statistic::value;
  if (text == "ratio") return Statistic::ratio;
  if (text == "delta") return Statistic::delta;
  place.fail("stat", fmt::format("'{}' is not one of value, ratio, delta", text));
}

const char* statistic_name(Statistic s) {
  return s == Statistic::value ? "value" : s == Statistic::ratio ? "ratio" : "delta";
}

Metric to_metric(const std::string& text, const Place& place) {
  if (const auto m = find_metric(text)) return *m;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < metric_count; ++i)
    names.emplace_back(metric_name(static_cast<Metric>(i)));
  place.fail("metric",
             fmt::format("unknown metric '{}'; did you mean '{}'?", text, nearest(text, names)));
}

Layout to_layout(const std::string& text, const char* field, const Place& place) {
  const auto source = fmt::format("{}:{}: {}", place.source, place.line, field);
  auto layout = parse_layout(text, source);
  layout.check(source);
  return layout;
}

std::string expected_unit(const Measurement& m) {
  return m.statistic == Statistic::ratio ? "x" : std::string{metric_unit(m.metric)};
}

/// What holds for a row whatever file it came from.
void check_row(const Measurement& m, const Place& place) {
  if (m.id.empty()) place.fail("id", "empty");
  if (const auto wrong = wrong_in_platform_name(m.platform); !wrong.empty())
    place.fail("platform", wrong);
  if (m.unit != expected_unit(m))
    place.fail("unit", fmt::format("'{}' but {} is stated in '{}'", m.unit, metric_name(m.metric),
                                   expected_unit(m)));
  const bool relative = m.statistic != Statistic::value;
  if (relative != m.baseline.has_value())
    place.fail("baseline",
               relative ? "a ratio or delta needs one" : "only ratio and delta have one");
  if (m.statistic != Statistic::delta && m.value <= 0) place.fail("value", "must be above 0");
  constexpr double extreme = 1e30;  // no unit of ours comes near; relative errors stay finite
  const double size = std::abs(m.value);
  if (size > extreme || (size > 0 && size < 1 / extreme))
    place.fail("value", fmt::format("{} cannot be in {}; check the unit", m.value, m.unit));
  if (m.lo && m.hi && *m.lo > *m.hi) place.fail("lo", "above hi");
}

void check_unique(const Measurement& m, std::set<std::string>& seen, const Place& place) {
  if (!seen.insert(m.id).second) place.fail("id", fmt::format("'{}' is in the file twice", m.id));
}

Measurement from_record(const CsvTable& table, std::size_t row, const Place& place) {
  const auto cell = [&](const char* name) -> const std::string& { return table.cell(row, name); };
  Measurement m;
  m.where = place.text();
  m.id = cell("id");
  m.platform = cell("platform");
  m.library = cell("subject");
  m.layout = to_layout(cell("config"), "config", place);
  if (!cell("baseline").empty()) m.baseline = to_layout(cell("baseline"), "baseline", place);
  m.metric = to_metric(cell("metric"), place);
  m.statistic = to_statistic(cell("stat"), place);
  m.value = to_number(cell("value"), "value", place);
  if (!cell("lo").empty()) m.lo = to_number(cell("lo"), "lo", place);
  if (!cell("hi").empty()) m.hi = to_number(cell("hi"), "hi", place);
  m.unit = cell("unit");
  m.source = {"published", cell("section")};
  m.note = cell("note");
  check_row(m, place);
  return m;
}

std::vector<Measurement> read_csv(const std::string& text, const std::string& source) {
  const CsvTable table{text, source};
  for (const char* name : columns) table.require(name);
  std::vector<Measurement> rows;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const Place place{source, table.line(i)};
    rows.push_back(from_record(table, i, place));
    check_unique(rows.back(), seen, place);
  }
  return rows;
}

MeasurementFile read_jsonl(const std::string& text, const std::string& source) {
  MeasurementFile file;
  std::set<std::string> seen;
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++line;
    const auto end = std::min(text.find('\n', at), text.size());
    const auto item = text.substr(at, end - at);
    at = end + 1;
    if (item.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto row = from_json_line(item, source, line, file.notes);
    if (!row) continue;
    check_unique(*row, seen, {source, line});
    file.rows.push_back(std::move(*row));
  }
  return file;
}

}  // namespace

MeasurementFile read_measurement_file(const std::filesystem::path& path) {
  const auto text = read_text(path);
  const auto extension = path.extension();
  MeasurementFile file;
  if (extension == ".csv")
    file.rows = read_csv(text, path.string());
  else if (extension == ".jsonl")
    file = read_jsonl(text, path.string());
  else
    throw InputError{path.string(), "", "expected a .csv or .jsonl file"};
  if (!file.rows.empty()) return file;
  const auto state = completeness(file.notes, {});
  throw InputError{path.string(), "",
                   state.asked == 0 ? "no rows"
                                    : fmt::format("no rows yet, of {} that plan '{}' asks for; the "
                                                  "same qpcast measure goes on",
                                                  state.asked, state.plans)};
}

std::vector<Measurement> read_measurements(const std::filesystem::path& path) {
  return read_measurement_file(path).rows;
}

std::string to_json_line(const Measurement& m) {
  nlohmann::ordered_json j;
  j["schema"] = schema;
  j["id"] = m.id;
  j["platform"] = m.platform;
  if (!m.library.empty()) j["library"] = m.library;
  j["layout"] = m.layout.to_string();
  if (m.baseline) j["baseline"] = m.baseline->to_string();
  j["metric"] = metric_name(m.metric);
  j["statistic"] = statistic_name(m.statistic);
  j["value"] = m.value;
  if (m.lo) j["lo"] = *m.lo;
  if (m.hi) j["hi"] = *m.hi;
  j["unit"] = m.unit;
  if (m.passes > 0) j["passes"] = m.passes;
  if (m.spread) j["spread"] = *m.spread;
  if (!m.environment.empty()) j["environment"] = m.environment;
  j["source"] = {{"kind", m.source.kind}, {"detail", m.source.detail}};
  if (!m.note.empty()) j["note"] = m.note;
  return j.dump();
}

namespace {

Measurement from_json(const json& value, const Place& place) {
  ObjectReader o{value, place.text()};
  o.require_schema(schema);
  Measurement m;
  m.where = place.text();
  m.id = o.text("id");
  m.platform = o.text("platform");
  m.library = o.text("library", "");
  m.layout = to_layout(o.text("layout"), "layout", place);
  if (o.has("baseline")) m.baseline = to_layout(o.text("baseline"), "baseline", place);
  m.metric = to_metric(o.text("metric"), place);
  m.statistic = to_statistic(o.text("statistic"), place);
  m.value = o.number("value");
  if (o.has("lo")) m.lo = o.number("lo");
  if (o.has("hi")) m.hi = o.number("hi");
  m.unit = o.text("unit");
  const double passes = o.number("passes", 1);
  if (passes < 1 || passes > 1e6 || passes != std::floor(passes))
    o.fail("passes", fmt::format("{:g}: a whole number from 1 is right, or none", passes));
  m.passes = o.has("passes") ? static_cast<int>(passes) : 0;
  if (o.has("spread")) m.spread = o.number("spread");
  if (o.has("environment")) {
    ObjectReader environment{o.member("environment"), o.source(), "environment"};
    for (const auto& [key, unused] : value["environment"].items())
      m.environment[key] = environment.text(key);
  }
  ObjectReader origin{o.member("source"), o.source(), "source"};
  m.source = {origin.text("kind"), origin.text("detail", "")};
  origin.finish();
  m.note = o.text("note", "");
  o.finish();
  check_row(m, place);
  return m;
}

}  // namespace

Measurement from_json_line(const std::string& text, const std::string& source, std::size_t line) {
  return from_json(parse_json(text, source, line), {source, line});
}

std::optional<Measurement> from_json_line(const std::string& text, const std::string& source,
                                          std::size_t line, RunNotes& notes) {
  const Place place{source, line};
  const auto value = parse_json(text, source, line);
  if (take_note(value, place.text(), notes)) return std::nullopt;
  return from_json(value, place);
}

std::string to_csv(const std::vector<Measurement>& rows) {
  std::string out = fmt::format("{}\n", fmt::join(columns, ","));
  for (const auto& m : rows) {
    const auto optional = [](const std::optional<double>& v) {
      return v ? fmt::format("{}", *v) : "";
    };
    const std::vector<std::string> cells{m.id,
                                         m.platform,
                                         m.library,
                                         m.layout.to_string(),
                                         m.baseline ? m.baseline->to_string() : "",
                                         std::string{metric_name(m.metric)},
                                         statistic_name(m.statistic),
                                         fmt::format("{}", m.value),
                                         optional(m.lo),
                                         optional(m.hi),
                                         m.unit,
                                         m.source.detail,
                                         m.note};
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i ? "," : "") + csv_field(cells[i]);
    out += "\n";
  }
  return out;
}

}  // namespace qpcast::io
