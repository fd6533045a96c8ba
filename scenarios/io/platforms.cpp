#include "scenarios/io/platforms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/error.hpp"
#include "model/layout.hpp"
#include "scenarios/io/json_reader.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::io {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* schema = "qpcast.platform/1";
constexpr const char* facts_schema = "qpcast.platform-facts/1";

const char* provenance_name(Provenance p) {
  return p == Provenance::fitted ? "fitted" : p == Provenance::published ? "published" : "assumed";
}

constexpr const char* nic_kinds[] = {"hardware", "in-post", "sink", "with-queues", "paced"};

NicKind nic_kind_from(ObjectReader& o) {
  const auto name = o.text("nic_kind", nic_kinds[0]);
  for (std::size_t i = 0; i < std::size(nic_kinds); ++i)
    if (name == nic_kinds[i]) return static_cast<NicKind>(i);
  o.fail("nic_kind", fmt::format("'{}' is not one of {}", name, fmt::join(nic_kinds, ", ")));
}

ordered_json facts_to_json(const PlatformFacts& f) {
  ordered_json j;
  j["description"] = f.description;
  j["nic"] = f.nic;
  j["sm_clock_mhz"] = f.sm_clock_mhz;
  j["sms"] = f.sms;
  j["reference"] = f.reference;
  j["coherent"] = f.coherent;
  j["link_gbit_per_s"] = f.link_gbit_per_s;
  j["mtu_bytes"] = f.mtu;
  j["header_bytes"] = f.header;
  if (f.nic_kind != NicKind::hardware)
    j["nic_kind"] = nic_kinds[static_cast<std::size_t>(f.nic_kind)];
  if (f.cpu_mhz > 0) j["cpu_mhz"] = f.cpu_mhz;
  j["source"] = f.source;
  return j;
}

/// A number within (0, highest], as every fact and parameter is.
double positive(ObjectReader& o, const char* key, double fallback) {
  const double value = o.number(key, fallback);
  if (!(value > 0) || !std::isfinite(value)) o.fail(key, "must be above 0");
  return value;
}

PlatformFacts facts_from_json(const json& value, const std::string& source,
                              const std::string& path) {
  ObjectReader o{value, source, path};
  PlatformFacts f;
  f.description = o.text("description", "");
  f.nic = o.text("nic", "");
  f.sm_clock_mhz = positive(o, "sm_clock_mhz", f.sm_clock_mhz);
  f.sms = static_cast<int>(positive(o, "sms", f.sms));
  f.reference = o.flag("reference", f.reference);
  f.coherent = o.flag("coherent", f.coherent);
  f.link_gbit_per_s = positive(o, "link_gbit_per_s", f.link_gbit_per_s);
  f.mtu = positive(o, "mtu_bytes", f.mtu);
  f.header = positive(o, "header_bytes", f.header);
  f.nic_kind = nic_kind_from(o);
  if (o.has("cpu_mhz")) f.cpu_mhz = positive(o, "cpu_mhz", 0);
  f.source = o.text("source", "");
  o.finish();
  return f;
}

Parameter parameter_from_json(const json& value, const std::string& source,
                              const std::string& path) {
  ObjectReader o{value, source, path};
  Parameter p;
  p.name = o.text("name");
  ParameterValues names;
  const auto at = names.find(p.name);
  if (!at) o.fail("name", fmt::format("unknown parameter '{}'", p.name));
  p.unit = o.text("unit");
  if (p.unit != names.info(*at).unit)
    o.fail("unit", fmt::format("'{}' but {} is in '{}'", p.unit, p.name, names.info(*at).unit));
  p.value = positive(o, "value", 0);
  p.lo = o.number("lo");
  p.hi = o.number("hi");
  if (!(p.lo <= p.value && p.value <= p.hi)) o.fail("value", "outside lo..hi");
  const auto provenance = o.text("provenance");
  if (provenance == "fitted")
    p.provenance = Provenance::fitted;
  else if (provenance == "published")
    p.provenance = Provenance::published;
  else if (provenance == "assumed")
    p.provenance = Provenance::assumed;
  else
    o.fail("provenance", "expected fitted, published or assumed");
  if (o.has("rows"))
    for (const auto& id : o.member("rows")) {
      if (!id.is_string()) o.fail("rows", "expected row ids");
      p.rows.push_back(id.get<std::string>());
    }
  p.note = o.text("note", "");
  o.finish();
  return p;
}

/// The lower triangle, a row a line: half the size, and a diff that a person can read.
ordered_json triangle(const std::vector<double>& covariance, std::size_t n) {
  auto rows = ordered_json::array();
  for (std::size_t i = 0; i < n; ++i) {
    auto row = ordered_json::array();
    for (std::size_t j = 0; j <= i; ++j)
      row.push_back(std::stod(fmt::format("{:.4g}", covariance[i * n + j])));
    rows.push_back(row);
  }
  return rows;
}

std::vector<double> from_triangle(const json& rows, std::size_t n, const ObjectReader& o) {
  const auto fail = [&] {
    o.fail("log_covariance", fmt::format("expected {} rows of 1 to {} numbers", n, n));
  };
  if (!rows.is_array() || rows.size() != n) fail();
  std::vector<double> full(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!rows[i].is_array() || rows[i].size() != i + 1) fail();
    for (std::size_t j = 0; j <= i; ++j) {
      if (!rows[i][j].is_number()) fail();
      full[i * n + j] = full[j * n + i] = rows[i][j].get<double>();
    }
  }
  return full;
}

/// Six significant digits: finer than any interval, and equal on any machine.
double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

}  // namespace

std::string to_json(const Platform& platform) {
  ordered_json j;
  j["schema"] = schema;
  j["name"] = platform.name;
  j["calibrated_from"] = platform.calibrated_from;
  j["emulated"] = platform.emulated;
  j["discrepancy"] = rounded(platform.discrepancy.times);
  j["rate_discrepancy"] = rounded(platform.discrepancy.rates);
  j["probe_discrepancy"] = rounded(platform.discrepancy.probes);
  j["facts"] = facts_to_json(platform.facts);
  auto& list = j["parameters"] = ordered_json::array();
  for (const auto& p : platform.parameters) {
    ordered_json item{{"name", p.name},
                      {"unit", p.unit},
                      {"value", rounded(p.value)},
                      {"lo", rounded(p.lo)},
                      {"hi", rounded(p.hi)},
                      {"provenance", provenance_name(p.provenance)}};
    if (!p.rows.empty()) item["rows"] = p.rows;
    if (!p.note.empty()) item["note"] = p.note;
    list.push_back(item);
  }
  if (!platform.layouts.empty()) j["layouts"] = platform.layouts;
  auto text = j.dump(1);
  text.erase(text.size() - 2);  // the closing brace, to append the triangle a row a line
  text += ",\n \"log_covariance\": [";
  const auto rows =
      triangle(platform.covariance, platform.covariance.empty() ? 0 : platform.parameters.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("{}\n  {}", i ? "," : "", rows[i].dump());
  return text + "\n ]\n}\n";
}

Platform platform_from_json(const std::string& text, const std::string& source) {
  const auto value = parse_json(text, source);
  ObjectReader o{value, source};
  o.require_schema(schema);
  Platform p;
  p.name = o.text("name");
  p.calibrated_from = o.text("calibrated_from", "");
  p.emulated = o.flag("emulated", false);
  p.discrepancy.times = positive(o, "discrepancy", 0.05);
  p.discrepancy.rates = positive(o, "rate_discrepancy", p.discrepancy.times);
  p.discrepancy.probes = positive(o, "probe_discrepancy", p.discrepancy.times);
  p.facts = facts_from_json(o.member("facts"), source, "facts");
  const auto& list = o.member("parameters");
  if (!list.is_array()) o.fail("parameters", "expected a list");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    p.parameters.push_back(parameter_from_json(list[i], source, fmt::format("parameters[{}]", i)));
    if (!seen.insert(p.parameters.back().name).second)
      o.fail("parameters", fmt::format("'{}' is there twice", p.parameters.back().name));
  }
  if (o.has("layouts"))
    for (const auto& layout : o.member("layouts")) {
      if (!layout.is_string()) o.fail("layouts", "expected layouts as text");
      p.layouts.push_back(layout.get<std::string>());
      parse_layout(p.layouts.back(), source);
    }
  if (o.has("log_covariance") && !o.member("log_covariance").empty())
    p.covariance = from_triangle(o.member("log_covariance"), p.parameters.size(), o);
  o.finish();
  return p;
}

Platform read_platform(const std::filesystem::path& path) {
  return platform_from_json(read_text(path), path.string());
}

std::map<std::string, Platform> read_platforms(const std::filesystem::path& directory) {
  std::map<std::string, Platform> platforms;
  if (!std::filesystem::is_directory(directory))
    throw InputError{directory.string(), "", "no such directory of platform files"};
  for (const auto& entry : std::filesystem::directory_iterator{directory}) {
    if (entry.path().extension() != ".json") continue;
    auto p = read_platform(entry.path());
    const auto name = p.name;
    if (!platforms.emplace(name, std::move(p)).second)
      throw InputError{entry.path().string(), "name",
                       fmt::format("platform '{}' is in two files", name)};
  }
  return platforms;
}

std::map<std::string, PlatformFacts> read_facts(const std::filesystem::path& path) {
  const auto source = path.string();
  const auto value = parse_json(read_text(path), source);
  ObjectReader o{value, source};
  o.require_schema(facts_schema);
  std::map<std::string, PlatformFacts> facts;
  const auto& platforms = o.member("platforms");
  if (!platforms.is_object()) o.fail("platforms", "expected an object");
  for (const auto& [name, item] : platforms.items())
    facts.emplace(name, facts_from_json(item, source, "platforms." + name));
  o.finish();
  return facts;
}

}  // namespace qpcast::io
