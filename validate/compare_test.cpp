#include "validate/compare.hpp"

#include <catch2/catch.hpp>

#include "model/testing.hpp"
#include "validate/report.hpp"

using namespace qpcast;
using namespace qpcast::validate;

namespace {

Measurement row(const std::string& id, double value, const char* layout = "qps=1") {
  Measurement m;
  m.id = id;
  m.platform = "priors";
  m.layout = parse_layout(layout, "test");
  m.value = value;
  m.unit = "Mmsg/s";
  return m;
}

/// Answers 10 with interval 9..11 to everything.
Answer ten(const Measurement&) {
  Answer a;
  a.estimate = {10, 9, 11};
  return a;
}

}  // namespace

TEST_CASE("errors, intervals and published ranges are told apart", "[compare]") {
  auto ranged = row("ranged", 20);
  ranged.lo = 5;
  ranged.hi = 40;
  const auto c = compare({row("exact", 10), row("close", 10.5), row("far", 20), ranged}, ten, 0.15);
  CHECK(c.rows[0].error == 0);
  CHECK(c.rows[1].error == Approx(0.5 / 10.5));
  CHECK(c.rows[1].inside_interval);
  CHECK_FALSE(c.rows[2].acceptable(0.15));
  CHECK(c.rows[3].acceptable(0.15));
  CHECK(c.rows[3].error == Approx(0.5));
  const auto s = c.summary();
  CHECK(s.rows == 4);
  CHECK(s.within_tolerance == 3);
  CHECK(s.interval_coverage == Approx(0.5));
  CHECK(s.median_error == Approx(0.5 / 10.5));
  CHECK(s.p90_error == Approx(0.5));
}

TEST_CASE("a measured rate and the goodput that follows from it are one measurement", "[compare]") {
  auto rate = row("r:rate", 10, "qps=1;payload=100");
  rate.environment = {{"nic", "rxe0"}};
  auto goodput = rate;
  goodput.id = "r:goodput";
  goodput.metric = Metric::goodput;
  goodput.value = 1;  // 10 Mmsg/s of 100 B
  auto other = goodput;
  other.id = "o:goodput";
  other.value = 1.1;  // of another run: not payload times the rate
  const auto c = compare({goodput, rate, other}, ten, 0.15);
  REQUIRE(c.rows.size() == 2);
  CHECK(c.rows[0].row.id == "r:rate");
  CHECK(c.repeated == 1);
  CHECK(c.summary().rows == 2);
  CHECK(to_json(c)["repeated_rates"] == 1);
  rate.environment.clear();  // a table of a paper states both
  CHECK(compare({goodput, rate}, ten, 0.15).rows.size() == 2);
}

TEST_CASE("nothing is dropped silently", "[compare]") {
  auto elsewhere = row("elsewhere", 1);
  elsewhere.platform = "other";
  auto kernel = row("kernel", 1, "caller=compute");
  kernel.metric = Metric::throughput_loss;
  const auto c =
      compare({row("a", 1), elsewhere, kernel}, {{"priors", testing::prior_platform()}}, {}, 0.15);
  REQUIRE(c.rows.size() == 3);
  CHECK(c.rows[0].modelled);
  CHECK(c.rows[1].reason.find("other") != std::string::npos);
  CHECK(c.rows[2].reason.find("enclosing") != std::string::npos);
  const auto j = to_json(c);
  CHECK(j["summary"]["not_modelled"] == 2);
  CHECK(j["rows"][1]["predicted"].is_null());
  CHECK(to_markdown(c).find("(not modelled) | 2 | 0") != std::string::npos);
}
