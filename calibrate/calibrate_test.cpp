#include "calibrate/calibrate.hpp"

#include <catch2/catch.hpp>

#include "calibrate/synthetic.hpp"
#include "calibrate/testing.hpp"
#include "model/analytic/analytic.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::calibrate;

using calibrate::testing::fit;

TEST_CASE("a known truth is recovered within its intervals", "[known-truth]") {
  int inside = 0, determined = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const auto truth = draw_truth(seed);
    const auto result = fit(truth, measure(truth, 0.05, seed + 100));
    for (const auto& p : result.platforms.front().parameters) {
      if (p.provenance != Provenance::fitted) continue;
      ++determined;
      const double value = truth.find(p.name)->value;
      if (p.lo <= value && value <= p.hi) ++inside;
    }
  }
  INFO(inside << " of " << determined);
  CHECK(determined > 100);
  CHECK(inside > 0.8 * determined);
}

TEST_CASE("without noise the predictions are exact", "[known-truth]") {
  const auto truth = draw_truth(11);
  const auto rows = measure(truth, 0, 1);
  const auto result = fit(truth, rows);
  for (const auto& r : result.rows) {
    INFO(r.id << " measured " << r.measured << " predicted " << r.predicted);
    CHECK(r.error < 0.05);
  }
}

TEST_CASE("an imposed rate and context cache are found, however small the cache", "[known-truth]") {
  const double contexts = GENERATE(9, 20, 50, 100);
  Platform truth;
  truth.name = "truth";
  truth.facts.nic_kind = NicKind::paced;
  truth.parameters = {
      {"nic.ceiling", "Mmsg/s", 0.2, 0, 0, Provenance::fitted, {}, ""},
      {"conn.miss", "us", 60, 0, 0, Provenance::fitted, {}, ""},
      {"conn.onset_bidirectional", "connections", contexts, 0, 0, Provenance::fitted, {}, ""}};
  AnalyticSolver solver{truth};
  std::vector<Measurement> rows;
  for (const int n : {4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256}) {
    Measurement row;
    row.platform = truth.name;
    row.id = "rate " + std::to_string(n);
    row.layout = parse_layout(
        "submitter=host;batch=16;payload=8;role=bidirectional;"
        "writes_per_visit=32;active_qps=" +
            std::to_string(n) + ";window=" + std::to_string(256 * n),
        "test");
    row.metric = Metric::rate;
    row.unit = metric_unit(row.metric);
    row.value = solver.point(question_of(row, {}));
    rows.push_back(row);
  }
  const auto result = fit(truth, rows);
  for (const auto& known : truth.parameters) {
    const auto* p = result.platforms.front().find(known.name);
    INFO(known.name << " " << known.value << ", contexts " << contexts);
    REQUIRE(p);
    CHECK(p->provenance == Provenance::fitted);
    CHECK(p->lo <= known.value);
    CHECK(known.value <= p->hi);
    CHECK(p->value == Approx(known.value).epsilon(0.15));  // the prior pulls
  }
}

TEST_CASE("metrics that scatter widen their own intervals alone", "[intervals]") {
  const auto truth = draw_truth(5);
  const auto spread_with = [&](double scatter, bool (*kind)(Metric)) {
    auto rows = measure(truth, 0.01, 7);
    double sign = 1;
    for (auto& row : rows)
      if (kind(row.metric)) row.value *= std::exp(scatter * (sign = -sign));
    return fit(truth, rows).platforms.front().discrepancy;
  };
  const auto rates = spread_with(0.25, is_rate);
  CHECK(rates.rates > 1.5 * rates.times);
  const auto probes = spread_with(0.4, is_probe);
  CHECK(probes.probes > 2 * probes.times);
  CHECK(probes.probes > 2 * probes.rates);
  CHECK(probes.largest() == probes.probes);
}

TEST_CASE("same rows, same platform", "[deterministic]") {
  const auto truth = draw_truth(3);
  const auto rows = measure(truth, 0.05, 9);
  const auto a = fit(truth, rows), b = fit(truth, rows);
  REQUIRE(a.platforms.front().parameters.size() == b.platforms.front().parameters.size());
  for (std::size_t i = 0; i < a.platforms.front().parameters.size(); ++i)
    CHECK(a.platforms.front().parameters[i].value == b.platforms.front().parameters[i].value);
  CHECK(a.platforms.front().covariance == b.platforms.front().covariance);
}

TEST_CASE("what no row speaks of is assumed, and says so", "[identifiability]") {
  const auto truth = draw_truth(5);
  auto rows = measure(truth, 0.02, 5);
  std::erase_if(rows, [](const Measurement& m) { return m.layout.has(Key::transport); });
  const auto result = fit(truth, rows);
  for (const auto& p : result.platforms.front().parameters)
    if (p.name == "dc.switch" || p.name == "dc.operation")
      CHECK(p.provenance == Provenance::assumed);
}

TEST_CASE("rows on an unknown platform are an error that names it", "[input]") {
  const auto truth = draw_truth(1);
  auto rows = measure(truth, 0, 1);
  rows[3].platform = "elsewhere";
  CHECK_THROWS_WITH(fit(truth, rows), Catch::Matchers::Contains("elsewhere"));
}

TEST_CASE("profile and bootstrap intervals agree with the normal ones where data is plenty",
          "[intervals]") {
  const auto truth = draw_truth(2);
  Options options;
  options.starts = 8;
  options.leave_one_out = false;
  options.profile = true;
  options.bootstrap = 60;
  const auto result = calibrate::calibrate(measure(truth, 0.05, 7), {{"truth", truth.facts}}, {},
                                           "synthetic", options);
  REQUIRE(result.profile.size() == result.bootstrap.size());
  const auto find = [](const std::vector<Interval>& list, const std::string& name) {
    return *std::find_if(list.begin(), list.end(),
                         [&](const Interval& i) { return i.name.starts_with(name); });
  };
  for (const char* name : {"gpu.wqe_build", "gpu.order_gpu", "nic.ceiling"}) {
    const auto& normal = *result.platforms.front().find(name);
    const auto profile = find(result.profile, name);
    const auto boot = find(result.bootstrap, name);
    INFO(name << " normal " << normal.lo << ".." << normal.hi << " profile " << profile.lo << ".."
              << profile.hi << " bootstrap " << boot.lo << ".." << boot.hi);
    CHECK(profile.lo <= profile.value);
    CHECK(profile.value <= profile.hi);
    CHECK(std::log(profile.hi / profile.lo) ==
          Approx(std::log(normal.hi / normal.lo)).epsilon(0.5));
    CHECK(boot.lo <= normal.hi);
    CHECK(boot.hi >= normal.lo);
  }
}
