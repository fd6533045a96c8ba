#include "model/simgrid/simgrid_solver.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"
#include "model/simgrid/queue_pair.hpp"
#include "model/simgrid/statistics.hpp"
#include "model/simgrid/world.hpp"
#include "model/testing.hpp"

using namespace qpcast;

namespace {

SimulationOptions brief(std::uint64_t seed = 1) {
  SimulationOptions o;
  o.seed = seed;
  o.messages = 1e5;
  return o;
}

Prediction simulate(const std::string& text, const SimulationOptions& options = brief()) {
  return SimgridSolver{testing::prior_platform()}.predict(parse_layout(text, "test"), nullptr,
                                                          options);
}

double rate(const std::string& text) { return simulate(text).find(Metric::rate)->value; }

}  // namespace

TEST_CASE("the calendar keeps time, and order within a time", "[calendar]") {
  simgrid::Calendar c;
  c.schedule(2, 0, 20);
  c.schedule(1, 0, 10);
  c.schedule(2, 0, 21);
  c.schedule(1, 0, 11);
  std::vector<std::uint32_t> order;
  while (!c.empty()) order.push_back(c.pop().agent);
  CHECK(order == std::vector<std::uint32_t>{10, 11, 20, 21});
}

TEST_CASE("a queue pair publishes in reservation order, one at a time", "[queue]") {
  simgrid::QueuePair q{3};
  const auto first = q.reserve(), second = q.reserve();
  q.built(second, 7);
  CHECK(q.startable() == simgrid::QueuePair::nobody);  // held back by the first
  q.built(first, 5);
  CHECK(q.startable() == 5);
  q.start();
  CHECK(q.startable() == simgrid::QueuePair::nobody);
  q.finish();
  CHECK(q.startable() == 7);
  CHECK(q.held_back() == 1);
}

TEST_CASE("histogram quantiles are right to two per cent", "[statistics]") {
  simgrid::Histogram h;
  for (int i = 1; i <= 10000; ++i) h.add(i * 0.01);
  CHECK(h.mean() == Approx(50.005));
  CHECK(h.quantile(0.5) == Approx(50).epsilon(0.02));
  CHECK(h.quantile(0.99) == Approx(99).epsilon(0.02));
}

TEST_CASE("same seed, same bits; another seed, the same within its interval", "[seed]") {
  const std::string text = "submitter=gpu;threads=64;qps=4;publication=thread-handoff;window=1";
  const auto a = simulate(text), b = simulate(text), c = simulate(text, brief(2));
  CHECK(a.find(Metric::rate)->value == b.find(Metric::rate)->value);
  CHECK(a.latency.p99 == b.latency.p99);
  CHECK(c.latency.mean != a.latency.mean);
  CHECK(c.find(Metric::rate)->value == Approx(a.find(Metric::rate)->value).epsilon(0.02));
}

TEST_CASE("a lone thread is its own clock", "[gpu]") {
  AnalyticSolver analytic{testing::prior_platform()};
  for (const char* text : {"threads=1;qps=1;batch=1", "threads=1;qps=1;batch=32",
                           "threads=64;qps=64;sms=64;batch=16"}) {
    INFO(text);
    const auto expected =
        analytic.predict(parse_layout(text, "t"), nullptr).find(Metric::rate)->value;
    CHECK(rate(text) == Approx(expected).epsilon(0.02));
  }
  const auto waits = simulate("threads=1;qps=1;batch=1;window=1");
  CHECK(waits.latency.p50 == Approx(1 / waits.find(Metric::rate)->value).epsilon(0.05));
}

TEST_CASE("drift is an outcome: lanes kept together publish faster", "[drift]") {
  auto platform = testing::prior_platform();
  // The analytic drift parameter must play no part.
  const auto at_drift = [&](double drift) {
    platform.parameters = {
        {"library.mini-gda.drift", "1", drift, drift, drift, Provenance::assumed, {}, ""}};
    const auto layout = parse_layout("threads=32;qps=1;batch=16;publication=warp-drifting", "t");
    return SimgridSolver{platform}.predict(layout, nullptr, brief()).find(Metric::rate)->value;
  };
  CHECK(at_drift(1) == at_drift(5));
  const std::string text = "threads=32;qps=1;batch=16;publication=";
  CHECK(rate(text + "warp-synchronised") > 1.5 * rate(text + "warp-drifting"));
}

TEST_CASE("a probe waits for what is ahead of it, and for nothing on a queue of its own",
          "[probe]") {
  const auto rtt = [](const std::string& text) { return simulate(text).round_trip.p50; };
  const std::string gpu =
      "submitter=gpu;threads=256;sms=32;contexts=32;window=1;publication=thread-handoff;background_"
      "ctas=32;queue=";
  CHECK(rtt(gpu + "shared-with-one") > 1.2 * rtt(gpu + "private"));
  const std::string fifo = "submitter=proxy;workers=1;rings=1;threads=1;background_ctas=";
  CHECK(rtt(fifo + "16;queue=shared") == Approx(4 * rtt(fifo + "4;queue=shared")).epsilon(0.1));
  CHECK(rtt(fifo + "16;queue=private") < 0.2 * rtt(fifo + "16;queue=shared"));
}

TEST_CASE("workers scale until they share state", "[proxy]") {
  const std::string text = "submitter=proxy;threads=1024;rings=8;batch=4;workers=";
  CHECK(rate(text + "8;shared_refcount=1") ==
        Approx(rate(text + "1;shared_refcount=1")).epsilon(0.05));
  CHECK(rate(text + "4") > 1.5 * rate(text + "1"));
}

TEST_CASE("latency never falls below the path", "[law]") {
  const auto platform = testing::prior_platform();
  std::mt19937_64 generator{5};
  for (int i = 0; i < 25; ++i) {
    auto layout = testing::random_layout(generator);
    INFO(layout.to_string());
    ParameterValues values{platform};
    const auto setup = resolve(layout, nullptr, platform.facts, values);
    const auto pipeline = build_pipeline(setup, values);
    const auto p = SimgridSolver{platform}.predict(layout, nullptr, brief());
    const double flight =
        (pipeline.total(Phase::transit) + pipeline.total(Phase::acknowledge)).us();
    CHECK(p.latency.p50 >= 0.95 * flight);
    CHECK(p.find(Metric::rate)->value <= values.get(Param::nic_ceiling) * 1.01);
    CHECK(p.latency.p50 <= p.latency.p99);
    CHECK(p.latency.p99 <= p.latency.p999);
  }
}
