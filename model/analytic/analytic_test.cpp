#include "model/analytic/analytic.hpp"

#include <catch2/catch.hpp>

#include "model/testing.hpp"

using namespace qpcast;

TEST_CASE("random layouts keep the laws", "[property]") {
  const auto platform = testing::prior_platform();
  AnalyticSolver solver{platform};
  const ParameterValues values{platform};
  std::mt19937_64 generator{7};
  for (int i = 0; i < 2000; ++i) {
    const auto layout = testing::random_layout(generator);
    INFO(layout.to_string());
    const auto p = solver.predict(layout, nullptr);
    const auto rate = p.find(Metric::rate)->value;
    CHECK(rate > 0);
    CHECK(rate <= values.get(Param::nic_ceiling) * (1 + 1e-9));
    CHECK(p.find(Metric::goodput)->value <= values.get(Param::wire_line_rate));
    ParameterValues parameters{platform};
    const auto pipeline =
        solve(resolve(layout, nullptr, platform.facts, parameters), parameters).pipeline;
    CHECK(p.find(Metric::doorbell_to_cqe)->value ==
          Approx((pipeline.total(Phase::transit) + pipeline.total(Phase::acknowledge) +
                  pipeline.total(Phase::complete))
                     .us()));
    for (const auto& m : p.metrics) {
      INFO(metric_name(m.metric));
      CHECK(std::isfinite(m.estimate.value));
      CHECK(m.estimate.lo <= m.estimate.value);
      CHECK(m.estimate.value <= m.estimate.hi);
    }
    for (const auto& s : p.stations) CHECK(s.utilisation <= 1 + 1e-9);
    CHECK_FALSE(p.bottleneck.empty());
  }
}

TEST_CASE("a closed network is slow with one message and bounded with many", "[closed]") {
  Pipeline p;
  p.path("flight", Phase::transit, Duration::us(5));
  p.work(Resource::engine, Duration::us(0.01));
  p.work(Resource::queue, Duration::us(0.1));
  p.population = 1;
  CHECK(solve_throughput(p).rate.mmsg_per_s() == Approx(1 / 5.11));
  p.population = 10000;
  CHECK(solve_throughput(p).rate.mmsg_per_s() == Approx(10).epsilon(1e-3));
  CHECK(solve_throughput(p).bottleneck == Resource::queue);
  double last = 0;
  for (const double n : {1, 2, 8, 32, 128, 512}) {
    p.population = n;
    const double x = solve_throughput(p).rate.mmsg_per_s();
    CHECK(x >= last);
    CHECK(x <= std::min(10.0, n / 5.11) * (1 + 1e-9));
    last = x;
  }
}

TEST_CASE("intervals widen with parameter uncertainty", "[interval]") {
  auto platform = testing::prior_platform();
  const auto width = [&](double sd) {
    platform.parameters = {{"nic.ceiling", "Mmsg/s", 200, 0, 0, Provenance::fitted, {}, ""}};
    platform.covariance = {sd * sd};
    AnalyticSolver solver{platform};
    const auto layout = parse_layout("threads=512;qps=512;sms=128;batch=16", "test");
    const auto e = *solver.predict(layout, nullptr).find(Metric::rate);
    return e.hi / e.lo;
  };
  CHECK(width(0.3) > width(0.1));
  // A rate at the ceiling carries the ceiling's own interval and the platform's discrepancy.
  CHECK(width(0.3) == Approx(std::exp(2 * 1.6449 * std::hypot(0.3, 0.05))).epsilon(1e-3));
}

TEST_CASE("what leaves the calibrated range is said", "[warnings]") {
  AnalyticSolver solver{testing::prior_platform()};
  const auto warns = [&](const char* text, const char* about) {
    for (const auto& w : solver.predict(parse_layout(text, "test"), nullptr).warnings)
      if (w.find(about) != std::string::npos) return true;
    return false;
  };
  CHECK(warns("clock_mhz=3000", "clock_mhz=3000 is outside"));
  CHECK_FALSE(warns("clock_mhz=1970", "clock_mhz"));
  CHECK(warns("role=all-to-all;active_qps=100000", "active_qps=100000"));
  CHECK(warns("submitter=proxy;workers=16", "workers=16"));
  CHECK(warns("qps=1", "rest on nic.visible"));
}

TEST_CASE("rows without a mechanism say why", "[coverage]") {
  CHECK_FALSE(not_modelled(Metric::throughput_loss, {}).empty());
  CHECK_FALSE(not_modelled(Metric::rate, parse_layout("active_qps=sweep", "t")).empty());
  CHECK(not_modelled(Metric::onset_active_qps, parse_layout("active_qps=sweep", "t")).empty());
}

TEST_CASE("a window that a queue pair cannot hold is said", "[warnings]") {
  AnalyticSolver solver{testing::prior_platform()};
  const auto said = [&](const char* text) {
    const auto warnings = solver.predict(parse_layout(text, "test"), nullptr).warnings;
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const auto& w) { return w.find("window=64") != std::string::npos; });
  };
  CHECK(said("submitter=gpu;window=64;queue_depth=16"));
  CHECK_FALSE(said("submitter=gpu;window=64;queue_depth=64"));
  CHECK_FALSE(said("submitter=gpu;window=64"));
}
