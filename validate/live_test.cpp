#include "validate/live.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "model/analytic/analytic.hpp"
#include "model/error.hpp"
#include "model/testing.hpp"
#include "scenarios/io/measurements.hpp"
#include "validate/domain.hpp"

using namespace qpcast;
using namespace qpcast::validate;

namespace {

Forecast forecast(const std::string& id, double value, std::vector<std::string> outside = {}) {
  Forecast f;
  f.id = id;
  f.layout = "submitter=host;qps=1";
  f.metric = Metric::issue;
  f.estimate = {value, value / 1.2, value * 1.2};
  f.mechanism = "proxy";
  f.outside = std::move(outside);
  return f;
}

Measurement measured(const std::string& id, double value, Metric metric = Metric::issue) {
  Measurement m;
  m.id = id;
  m.layout = parse_layout("submitter=host;qps=1", "test");
  m.metric = metric;
  m.value = value;
  m.unit = metric_unit(metric);
  m.source.kind = "verbs";
  return m;
}

std::filesystem::path fresh(const char* name) {
  const auto path = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove(path);
  return path;
}

}  // namespace

TEST_CASE("the calibrated domain: numbers within, choices seen, by submitter", "[live]") {
  const CalibratedDomain domain{{"submitter=host;qps=1;batch=1;payload=8;completion=per-qp",
                                 "submitter=host;qps=16;batch=16;payload=1024;inline=0",
                                 "submitter=proxy;qps=64;batch=1;payload=8"}};
  const auto outside = [&](const char* text) { return domain.outside(parse_layout(text, "test")); };
  CHECK(outside("submitter=host;qps=4;batch=7;payload=100").empty());
  CHECK(outside("submitter=host;qps=16;payload=1024").empty());
  CHECK(outside("submitter=host;qps=17").size() == 1);
  CHECK(outside("submitter=host;qps=64;payload=4").size() == 2);
  CHECK(outside("submitter=host;qps=1;completion=all-qp").size() == 1);
  CHECK(outside("submitter=host;qps=1;inline=1").size() == 1);
  CHECK(outside("submitter=host;window=7").size() == 1);
  CHECK(outside("submitter=proxy;qps=64").empty());
  CHECK(outside("submitter=gpu;qps=1").size() == 1);
  CHECK(CalibratedDomain{{}}.empty());
}

TEST_CASE("forecasts are written once and never replaced", "[live]") {
  const auto path = fresh("qpcast-live-forecasts.json");
  ForecastFile file{"mine",    "run.jsonl", "verbs rxe0",
                    "simgrid", 7,           {forecast("a", 2), forecast("b", 0.1)}};
  file.forecasts[1].reason = "no mechanism";
  file.forecasts[1].estimate = {};
  CHECK_FALSE(commit_forecasts(file, path));
  CHECK(commit_forecasts(file, path));  // a run that goes on
  const auto back = read_forecasts(path);
  CHECK(back.seed == 7);
  CHECK(back.solver == "simgrid");
  CHECK(back.forecasts == file.forecasts);
  auto other = file;
  other.forecasts[0].estimate.value = 3;
  CHECK_THROWS_AS(commit_forecasts(other, path), InputError);
  other = file;
  other.solver = "analytic";
  CHECK_THROWS_WITH(commit_forecasts(other, path), Catch::Contains("simgrid solver, seed 7"));
  other = file;
  other.seed = 8;
  CHECK_THROWS_AS(commit_forecasts(other, path), InputError);
  std::filesystem::remove(path);
}

TEST_CASE("interpolation and extrapolation are counted apart", "[live]") {
  const std::vector<Forecast> forecasts{forecast("a", 1), forecast("b", 1),
                                        forecast("c", 1, {"qps=64 is outside 1..16"}),
                                        forecast("d", 1)};
  const auto r =
      compare_live(forecasts, {measured("c", 2), measured("a", 1.1), measured("b", 1)}, 0.15);
  REQUIRE(r.not_measured == std::vector<std::string>{"d"});
  const auto s = r.summary();
  CHECK(s.all.modelled == 3);
  CHECK(s.inside.modelled == 2);
  CHECK(s.outside.modelled == 1);
  CHECK(s.outside.median_error == Approx(0.5));
  CHECK(s.inside.interval_coverage == Approx(1));
  CHECK_FALSE(r.within_tolerance());  // c is beyond 2.5 x 15 %
  CHECK(compare_live({forecast("a", 1)}, {measured("a", 1.1)}, 0.15).within_tolerance());
  CHECK_FALSE(compare_live({forecast("a", 1)}, {}, 0.15).within_tolerance());
}

TEST_CASE("a row that a CPU produced in place of the GPU is not modelled, live as from a file",
          "[live]") {
  auto probe = measured("probe", 5);
  probe.platform = "priors";
  probe.layout = parse_layout("submitter=proxy;background_ctas=2;window=64", "test");
  probe.environment = {{"gpu", "a GPU"}, {"producer", "cpu"}};
  auto fine = measured("fine", 1);
  fine.environment = {{"gpu", "a GPU"}, {"producer", "gpu"}};
  auto of_probe = forecast("probe", 1, {"window=64 is outside 1..16"});
  of_probe.layout = probe.layout.to_string();
  const auto r = compare_live({of_probe, forecast("fine", 1)}, {probe, fine}, 0.15);
  REQUIRE(r.comparison.rows.size() == 2);
  CHECK_FALSE(r.comparison.rows[0].modelled);
  CHECK_THAT(r.comparison.rows[0].reason, Catch::Contains("a CPU produced in place"));
  CHECK(r.comparison.rows[1].modelled);
  const auto s = r.summary();
  CHECK(s.all.rows == 2);
  CHECK(s.all.modelled == 1);
  CHECK(s.outside.rows == 1);
  CHECK(s.outside.modelled == 0);
  CHECK(r.within_tolerance());  // the probe's factor of five counts for nothing
  const auto from_file = compare({probe}, {{"priors", testing::prior_platform()}}, Presets{}, 0.15);
  CHECK(from_file.rows[0].reason == r.comparison.rows[0].reason);
}

TEST_CASE("a live file and validate --data count the same rows", "[live]") {
  const std::string folder = GENERATE("h200-sink", "h200-execute", "softroce", "softroce-again");
  const std::filesystem::path file = "data/live/" + folder + "/live.jsonl";
  INFO(file);
  const auto rows = io::read_measurements(file);
  const auto live =
      compare_live(read_forecasts(file.string() + ".forecasts.json").forecasts, rows, 0.15);
  const auto ten = [](const Measurement& row) {
    Answer a;
    a.estimate = {10, 9, 11};
    a.reason = unanswerable(row);
    return a;
  };
  const auto from_file = compare(rows, ten, 0.15);
  CHECK(from_file.repeated > 0);
  CHECK(from_file.repeated == live.comparison.repeated);
  CHECK(from_file.summary().rows == live.comparison.summary().rows);
  CHECK(from_file.summary().modelled == live.comparison.summary().modelled);
  CHECK(from_file.summary().rows + from_file.repeated == static_cast<int>(rows.size()));
  CHECK(live.comparison.summary().modelled == live.comparison.summary().rows);
}

TEST_CASE("a row that nobody forecast is refused", "[live][input]") {
  CHECK_THROWS_AS(compare_live({forecast("a", 1)}, {measured("z", 1)}, 0.15), InputError);
  // Goodput comes with every rate, and repeats it.
  CHECK_NOTHROW(compare_live({forecast("a", 1)},
                             {measured("a", 1), measured("g", 1, Metric::goodput)}, 0.15));
}
