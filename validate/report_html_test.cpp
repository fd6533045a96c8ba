#include "validate/report_html.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "model/testing.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "validate/chart.hpp"

using namespace qpcast;
using namespace qpcast::validate;

namespace {

/// What is wrong with a document as XML: a tag that nothing closes, an attribute without quotes, a
/// bare & or <; empty if nothing is. The doctype is skipped.
std::string malformed(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('\n'); at < text.size(); ++at) {
    if (text[at] == '&') {
      const auto end = text.find(';', at);
      if (end == std::string::npos || end - at > 6) return "bare & at " + text.substr(at, 20);
      at = end;
    }
    if (text[at] != '<') continue;
    const auto end = text.find('>', at);
    if (end == std::string::npos) return "tag without end";
    const auto tag = text.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return "bare < before " + tag;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "quote in " + tag;
    for (std::size_t i = tag.find('='); i != std::string::npos; i = tag.find('=', i + 1)) {
      const bool inside = std::count(tag.begin(), tag.begin() + static_cast<long>(i), '"') % 2 != 0;
      if (!inside && tag[i + 1] != '"') return "attribute without quotes in " + tag;
    }
    const auto name =
        tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

RowResult row(const std::string& id, double batch) {
  RowResult r;
  r.row.id = id;
  r.row.platform = "P";
  r.row.unit = "Mmsg/s";
  r.row.value = 10 * batch;
  r.row.layout.set(Key::batch, batch);
  r.modelled = true;
  r.mechanism = "batching";
  r.predicted = {11 * batch, 9 * batch, 13 * batch};
  return r;
}

}  // namespace

TEST_CASE("the published report is well-formed and has every row", "[report]") {
  const auto rows = io::read_measurements("data/published/published.csv");
  const auto platforms = io::read_platforms("data/platforms");
  const auto c = compare(rows, platforms, io::read_presets("scenarios/libraries"), 0.15);
  const auto html = to_html(c, platforms, "published");
  CHECK(malformed(html) == "");
  for (const auto& r : rows) {
    INFO(r.id);
    CHECK(html.find("<td class=\"id\">" + escaped(r.id) + "</td>") != std::string::npos);
  }
  for (const auto& [name, platform] : platforms)
    for (const auto& p : platform.parameters)
      CHECK(html.find("<td class=\"id\">" + p.name + "</td>") != std::string::npos);
  CHECK(html.find("nan") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);  // nothing from elsewhere
  CHECK(html.find("href=") == std::string::npos);
  CHECK(html.size() < 1'000'000);
}

TEST_CASE("what rows say cannot break the page", "[report]") {
  Comparison c;
  const std::string evil = "<script>alert('x' & \"y\")</script>\x01";
  for (const double batch : {1, 2, 4}) c.rows.push_back(row(evil + std::to_string(batch), batch));
  c.rows.push_back(row("zero", 8));
  c.rows.back().predicted = {0, -1, std::nan("")};
  c.rows.push_back(row("none", 8));
  c.rows.back().modelled = false;
  c.rows.back().reason = "a < b & c";
  c.rows.front().warnings = {"1 > 0 & \"so\""};
  auto platform = testing::prior_platform();
  platform.name = evil;
  platform.facts.description = evil;
  const auto html = to_html(c, {{evil, platform}}, evil);
  CHECK(malformed(html) == "");
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find('\x01') == std::string::npos);
  CHECK(html.find("not modelled: a &lt; b &amp; c") != std::string::npos);
  CHECK(malformed(to_html({}, {}, "nothing")) == "");
}

TEST_CASE("rows that differ in one key make a curve, a few of very many", "[report]") {
  Comparison c;
  for (const double batch : {1, 2, 4, 8}) c.rows.push_back(row("b" + std::to_string(batch), batch));
  CHECK(to_html(c, {}, "t").find("rate of P against batch") != std::string::npos);
  for (int other = 0; other < 40; ++other)
    for (const double batch : {1, 2, 4}) {
      auto r = row(std::to_string(other) + "/" + std::to_string(batch), batch);
      r.row.layout.set(Key::payload, other + 1);
      c.rows.push_back(std::move(r));
    }
  const auto html = to_html(c, {}, "t");
  CHECK(html.find("more sweeps are not drawn") != std::string::npos);
  CHECK(malformed(html) == "");
}

TEST_CASE("an emulated number says so", "[report]") {
  Comparison c;
  for (const double batch : {1, 2, 4}) {
    c.rows.push_back(row("b" + std::to_string(batch), batch));
    c.rows.back().row.source.kind = "emulated";
  }
  const auto html = to_html(c, {}, "t");
  CHECK(html.find("measured (emulated) 10 Mmsg/s") != std::string::npos);
  CHECK(html.find("rate (emulated):") != std::string::npos);
  CHECK(html.find("measured on an emulated NIC") != std::string::npos);
  CHECK(html.find("<td>emulated</td>") != std::string::npos);
}

TEST_CASE("a chart keeps to its axes", "[report]") {
  Chart chart{"t", "x", "y", {{"s", {{1, 1, 0, 0, "a"}, {1000, 1e-3, 1e-30, 1e30, "b"}}, 0, true}},
              0.1, true};
  const auto text = svg(chart);
  CHECK(text.starts_with("<svg"));
  CHECK(malformed("\n" + text) == "");
  CHECK(text.find("inf") == std::string::npos);
  chart.series.front().points = {{0, 1, 0, 0, ""}};
  CHECK(svg(chart).find("nothing to draw") != std::string::npos);
}
