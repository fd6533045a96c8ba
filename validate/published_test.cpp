/// The published rows as a table test that prints the error of each, and the committed platforms
/// as the output of the calibration and of nothing else.
#include <catch2/catch.hpp>
#include <iostream>
#include <set>

#include "calibrate/report.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"
#include "validate/compare.hpp"

using namespace qpcast;

namespace {
const char* const published = "data/published/published.csv";
}

TEST_CASE("published rows", "[published]") {
  const auto c =
      validate::compare(io::read_measurements(published), io::read_platforms("data/platforms"),
                        io::read_presets("scenarios/libraries"), 0.15);
  for (const auto& r : c.rows) {
    if (r.modelled)
      std::cout << r.row.id << ": measured " << r.row.value << ", predicted " << r.predicted.value
                << " " << r.row.unit << ", off by " << 100 * r.error << " %\n";
    INFO(r.row.id << ": " << r.reason);
    const bool excused = r.row.layout.has(Key::caller) || r.row.layout.has(Key::workload);
    CHECK(r.modelled != excused);
  }
  const auto s = c.summary();
  INFO("median " << s.median_error << ", nine in ten within " << s.p90_error);
  CHECK(s.median_error <= 0.05);
  CHECK(s.p90_error <= 0.15);
  CHECK(s.interval_coverage >= 0.85);
}

TEST_CASE("the shared-queue rows' three orders of magnitude come out of the backlog",
          "[published]") {
  auto platform = io::read_platforms("data/platforms").at("P-IB");
  const auto presets = io::read_presets("scenarios/libraries");
  const auto rtt = [&](double window) {
    for (auto& p : platform.parameters)
      if (p.name == "backlog.window") p.value = window;
    AnalyticSolver solver{platform};
    const auto layout = parse_layout(
        "submitter=proxy;workers=1;rings=1;threads=1;queue=shared;background_ctas=64", "test");
    return solver.predict(layout, &presets.at("mini-proxy")).find(Metric::rtt)->value;
  };
  const double one = rtt(1), thousand = rtt(1000);
  CHECK(thousand > 400 * one);  // linear in what is queued ahead, nothing else
  CHECK((rtt(2000) - thousand) == Approx(thousand - rtt(1e-9)).epsilon(1e-6));
}

TEST_CASE("platform files are what the calibration writes", "[published][regenerate]") {
  const auto result = calibrate::calibrate(
      io::read_measurements(published), io::read_facts("data/published/platforms.json"),
      io::read_presets("scenarios/libraries"), "data/published/published.csv");
  for (const auto& platform : result.platforms) {
    INFO(platform.name << ": run `qpcast calibrate` as the README says");
    const auto committed = io::read_platform("data/platforms/" + platform.name + ".json");
    REQUIRE(committed.parameters.size() == platform.parameters.size());
    CHECK(committed.calibrated_from == platform.calibrated_from);
    for (std::size_t i = 0; i < platform.parameters.size(); ++i) {
      const auto& a = committed.parameters[i];
      const auto& b = platform.parameters[i];
      INFO(a.name);
      CHECK(a.name == b.name);
      // Another compiler may round the optimiser's last digits differently.
      CHECK(a.value == Approx(b.value).epsilon(1e-3));
      CHECK(a.provenance == b.provenance);
      CHECK(a.rows == b.rows);
    }
  }
  CHECK(result.rows.size() >= 2u * static_cast<unsigned>(result.free_parameters));
  CHECK(calibrate::summarise(result).median_left_out <= 0.15);
}

TEST_CASE("P-GB200 from P-IB with five rows: forecasts of the rest halve their error",
          "[published][transfer]") {
  const auto presets = io::read_presets("scenarios/libraries");
  const auto facts = io::read_facts("data/published/platforms.json");
  const std::set<std::string> five{"t3-gb200-mini-gda-inl-issue",
                                   "t3-gb200-mini-gda-inl-put_completion",
                                   "t3-gb200-mini-gda-inl-rtt", "t3-gb200-mini-proxy-base-issue",
                                   "t3-gb200-mini-proxy-base-put_completion"};
  std::vector<Measurement> parent_rows, quick, rest;
  for (const auto& row : io::read_measurements(published)) {
    if (row.platform == "P-IB") parent_rows.push_back(row);
    if (row.platform == "P-GB200") (five.contains(row.id) ? quick : rest).push_back(row);
  }
  REQUIRE(quick.size() == five.size());
  calibrate::Options options;
  options.leave_one_out = false;
  const auto parent =
      calibrate::calibrate(parent_rows, facts, presets, "P-IB rows", options).platforms.front();
  REQUIRE(parent.name == "P-IB");
  const auto alone = calibrate::calibrate(quick, facts, presets, "five rows", options);
  options.parent = &parent;
  const auto derived = calibrate::calibrate(quick, facts, presets, "five rows", options);
  const auto errors = [&](const Platform& p) {
    return validate::compare(rest, {{p.name, p}}, presets, 0.15).summary();
  };
  const auto with = errors(derived.platforms.front()), without = errors(alone.platforms.front());
  std::cout << "P-GB200's other rows: median " << 100 * with.median_error << " % with transfer, "
            << 100 * without.median_error << " % without; nine in ten within "
            << 100 * with.p90_error << " % and " << 100 * without.p90_error << " %\n";
  CHECK(with.modelled == static_cast<int>(rest.size()));
  CHECK(with.median_error < 0.6 * without.median_error);
  CHECK(with.p90_error < without.p90_error);
  // Neither gives away what its parent does not know: every fate is reported, none twice.
  std::set<std::string> names;
  int kept = 0, refitted = 0;
  for (const auto& t : derived.transferred) {
    CHECK(names.insert(t.name).second);
    kept += t.fate == calibrate::Transferred::Fate::kept;
    refitted += t.fate == calibrate::Transferred::Fate::refitted;
  }
  CHECK(names.size() == derived.platforms.front().parameters.size());
  CHECK(kept > refitted);
  CHECK(refitted > 0);
}
