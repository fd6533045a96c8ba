#include "model/advise/advise.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "model/advise/draws.hpp"
#include "model/error.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "model/sweep.hpp"
#include "model/testing.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"

using namespace qpcast;
using namespace qpcast::advise;

namespace {

const Presets presets = io::read_presets("scenarios/libraries");
const std::map<std::string, Platform> platforms = io::read_platforms("data/platforms");

std::vector<double> values(Key key, const char* expression) {
  std::vector<double> out;
  for (const auto& v : expand_values(std::string{field(key).name}, expression, "test"))
    out.push_back(std::stod(v));
  return out;
}

Request request(Goal goal, const char* fixed, double threads = 0, double sms = 0) {
  Request r;
  r.goal = goal;
  r.fixed = parse_layout(fixed, "test");
  r.threads = threads;
  r.sms = sms;
  return r;
}

/// Agrees with the analytic solver, times a factor.
Simulate agreeing(const Platform& platform, const LibraryPreset& preset, const Request& r,
                  double factor = 1) {
  return [&platform, &preset, r, factor](const Layout& layout) {
    Forecaster f{platform, preset};
    const auto at = f.at(layout);
    const double s = score(r.goal, at) * factor;
    return Simulated{r.goal == Goal::latency ? 1 / s : s, at.latency, at.rate};
  };
}

struct Case {
  const char* platform;
  const char* library;
  Request request;
};

/// Small spaces of every kind: protocols change, queues are shared, constraints bind.
std::vector<Case> small_cases() {
  std::vector<Case> cases;
  auto a = request(Goal::rate, "payload=8", 48, 6);
  a.limits[Key::qps] = values(Key::qps, "1..16");
  cases.push_back({"P-IB", "nvshmem-ibgda", a});
  a.goal = Goal::goodput;
  a.fixed = parse_layout("payload=512", "test");
  a.pes = 16;
  a.constraints.queue_pairs = 100;
  cases.push_back({"P-GB200", "nvshmem-ibgda", a});
  auto b = request(Goal::rate, "payload=8", 64, 4);
  b.limits[Key::contexts] = values(Key::contexts, "1..32");
  b.constraints.max_latency = 8;
  cases.push_back({"P-IB", "gin-gdaki", b});
  auto c = request(Goal::latency, "payload=8;background_ctas=64;threads=512;sms=64");
  c.constraints.min_rate = 20;
  cases.push_back({"P-IB", "gin-gdaki", c});
  auto d = request(Goal::rate, "payload=8;threads=1024");
  d.constraints.cores = 5;
  cases.push_back({"P-IB", "mini-proxy", d});
  auto e = request(Goal::latency, "payload=8");
  e.limits[Key::qps] = values(Key::qps, "1..64");
  cases.push_back({"P-RoCE", "mini-gda", e});
  cases.push_back({"P-IB", "mscclpp", request(Goal::rate, "payload=8;threads=256")});
  return cases;
}

}  // namespace

TEST_CASE("no layout of a box exceeds its bound", "[property][advise]") {
  std::mt19937_64 generator{11};
  for (const auto& c : small_cases()) {
    const auto& preset = presets.at(c.library);
    const auto& platform = platforms.at(c.platform);
    const Space space{c.request, preset, platform.facts};
    Forecaster forecaster{platform, preset};
    const auto pick = [&](std::uint32_t lo, std::uint32_t hi) {
      return std::uniform_int_distribution<std::uint32_t>{lo, hi}(generator);
    };
    for (int i = 0; i < 300; ++i) {
      Box box;
      Point inside{};
      for (std::size_t a = 0; a < space.axes().size(); ++a) {
        const auto last = static_cast<std::uint32_t>(space.axes()[a].values.size() - 1);
        const auto x = pick(0, last), y = pick(0, last);
        box.lo.at(a) = std::min(x, y);
        box.hi.at(a) = space.axes()[a].is_choice() ? box.lo.at(a) : std::max(x, y);
      }
      const auto bound = forecaster.bound(space, box);
      for (int j = 0; j < 20; ++j) {
        for (std::size_t a = 0; a < space.axes().size(); ++a)
          inside.at(a) = pick(box.lo.at(a), box.hi.at(a));
        const auto layout = space.layout(inside);
        INFO(c.platform << " " << layout.to_string());
        const auto f = forecaster.at(layout);
        CHECK(f.rate <= bound.rate * (1 + 1e-6));
        CHECK(f.goodput <= bound.goodput * (1 + 1e-6));
        CHECK(f.latency >= bound.latency * (1 - 1e-6));
      }
    }
  }
}

TEST_CASE("the pruned search finds what the exhaustive one finds", "[property][advise]") {
  for (const auto& c : small_cases()) {
    const auto& preset = presets.at(c.library);
    const auto& platform = platforms.at(c.platform);
    const Space space{c.request, preset, platform.facts};
    Forecaster forecaster{platform, preset};
    SearchOptions all;
    all.exhaustive = true;
    Search pruned{space, forecaster}, exhaustive{space, forecaster, all};
    INFO(c.platform << " " << c.library << ", " << space.size() << " layouts");
    const auto a = pruned.best(), b = exhaustive.best();
    REQUIRE(a.has_value() == b.has_value());
    REQUIRE(b.has_value());
    CHECK(a->score == Approx(b->score).epsilon(1e-6));
    for (const double part : {0.99, 0.8, 0.5, 0.2}) {
      const auto near = pruned.nearest(part * b->score),
                 known = exhaustive.nearest(part * b->score);
      REQUIRE(near);
      REQUIRE(known);
      INFO(near->layout.to_string() << " against " << known->layout.to_string());
      CHECK(near->point == known->point);
    }
    CHECK(pruned.count().complete);
    const auto& work = pruned.count();
    if (space.size() > 1000) CHECK(work.evaluated + work.bounded < exhaustive.count().evaluated);
  }
}

TEST_CASE("an advice keeps the constraints and is not below the default", "[property][advise]") {
  for (const auto& c : small_cases()) {
    const auto& preset = presets.at(c.library);
    const auto& platform = platforms.at(c.platform);
    Options options;
    options.draws = 50;
    const auto a =
        advise::advise(platform, preset, c.request, agreeing(platform, preset, c.request), options);
    const Space space{c.request, preset, platform.facts};
    INFO(c.platform << " " << c.library << ": " << a.reason);
    Forecaster forecaster{platform, preset};
    for (const auto& candidate : a.candidates) {
      INFO(candidate.layout.to_string());
      CHECK_NOTHROW(candidate.layout.check("test"));
      CHECK(space.refused(candidate.layout).empty());
      const auto f = forecaster.at(candidate.layout);
      const auto& k = c.request.constraints;
      if (k.max_latency) CHECK(f.latency <= *k.max_latency * (1 + 1e-9));
      if (k.min_rate) CHECK(f.rate >= *k.min_rate * (1 - 1e-9));
      CHECK(candidate.worse_share >= 0);
      CHECK(candidate.worse_share <= 1);
      CHECK(candidate.gain.lo <= candidate.gain.hi);
      if (a.base_refused.empty()) CHECK(candidate.gain.value >= 1);
      for (const auto& change : candidate.changes) CHECK(change.value != change.base);
    }
    if (a.verdict == Verdict::change) {
      REQUIRE(!a.candidates.empty());
      CHECK(!a.candidates.front().changes.empty());
      CHECK(a.candidates.front().dropped.empty());
      if (a.base_refused.empty()) CHECK(a.candidates.front().simulated_gain >= 1 + smallest_gain);
    }
  }
}

TEST_CASE("what the simulator puts below the default is dropped", "[advise]") {
  const auto& platform = platforms.at("P-IB");
  const auto& preset = presets.at("nvshmem-ibgda");
  const auto r = request(Goal::rate, "payload=8;threads=1024;sms=64");
  const auto agreed = advise::advise(platform, preset, r, agreeing(platform, preset, r));
  REQUIRE(agreed.verdict == Verdict::change);
  CHECK(agreed.candidates.front().simulated_gain > 2);
  // A simulator in which every change costs 6 %.
  const auto contrary = [&](const Layout& layout) {
    const double goal = layout == agreed.base.layout ? 10 : 9.4;
    return Simulated{goal, 1, goal};
  };
  const auto kept = advise::advise(platform, preset, r, contrary);
  CHECK(kept.verdict == Verdict::keep);
  REQUIRE(!kept.candidates.empty());
  for (const auto& c : kept.candidates)
    CHECK(c.dropped.find("below the default") != c.dropped.npos);
}

TEST_CASE("the simulator confirms what is advised on P-IB", "[advise]") {
  const auto& platform = platforms.at("P-IB");
  SimulationOptions o;
  o.messages = 50'000;
  o.half_width = 0.02;
  SimgridSolver simulator{platform, o};
  for (const char* library : {"nvshmem-ibgda", "gin-gdaki", "mini-proxy"}) {
    const auto& preset = presets.at(library);
    const auto r = request(Goal::rate, "payload=8;threads=512");
    const auto a = advise::advise(platform, preset, r, [&](const Layout& layout) {
      const auto p = simulator.predict(layout, &preset);
      return Simulated{p.find(Metric::rate)->value, p.find(Metric::put_completion)->value,
                       p.find(Metric::rate)->value};
    });
    INFO(library << ": " << a.reason);
    REQUIRE(a.verdict == Verdict::change);
    CHECK(a.candidates.front().simulated.goal >= 0.95 * a.base.simulated.goal);
  }
}

TEST_CASE("draws have the platform's medians and covariance", "[advise]") {
  auto platform = testing::prior_platform();
  platform.parameters = {{"nic.ceiling", "Mmsg/s", 200, 0, 0, Provenance::fitted, {}, ""},
                         {"nic.visible", "us", 3, 0, 0, Provenance::fitted, {}, ""}};
  platform.covariance = {0.04, -0.015, -0.015, 0.01};
  ParameterValues v{platform};
  ParameterDraws draws{platform, v, 5};
  double sum = 0, squares = 0, product = 0;
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) {
    draws.draw(v);
    const double a = std::log(v.get(Param::nic_ceiling) / 200);
    const double b = std::log(v.get(Param::nic_visible) / 3);
    sum += a;
    squares += a * a;
    product += a * b;
  }
  CHECK(sum / n == Approx(0).margin(0.006));
  CHECK(squares / n == Approx(0.04).epsilon(0.05));
  CHECK(product / n == Approx(-0.015).epsilon(0.08));
}

TEST_CASE("an uncertain parameter makes an advice that rests on it risky", "[advise]") {
  auto platform = platforms.at("P-IB");
  const auto& preset = presets.at("nvshmem-ibgda");
  const auto r = request(Goal::rate, "payload=8;threads=1024;sms=64");
  const auto risk = [&](double discrepancy) {
    platform.discrepancy = {discrepancy, discrepancy, discrepancy};
    const auto a = advise::advise(platform, preset, r, agreeing(platform, preset, r));
    return std::pair{a.candidates.front().worse_share, a.candidates.front().gain};
  };
  const auto [sure_share, sure] = risk(0.01);
  const auto [unsure_share, unsure] = risk(2);
  CHECK(sure_share < 0.05);
  CHECK(unsure_share > 0.1);
  CHECK(unsure.hi / unsure.lo > sure.hi / sure.lo);
}

TEST_CASE("settings are what the library can be given, spelled as it spells them", "[advise]") {
  const auto& platform = platforms.at("P-IB");
  const auto r = request(Goal::rate, "payload=8;threads=1024;sms=64");
  const auto a = advise::advise(platform, presets.at("nvshmem-ibgda"), r,
                                agreeing(platform, presets.at("nvshmem-ibgda"), r));
  REQUIRE(!a.candidates.empty());
  for (const auto& change : a.candidates.front().changes)
    CHECK(change.name.starts_with("NVSHMEM_"));
  // Nothing to set: nothing to advise.
  const auto ibrc = request(Goal::rate, "payload=8;threads=1024");
  const auto none = advise::advise(platform, presets.at("nvshmem-ibrc"), ibrc,
                                   agreeing(platform, presets.at("nvshmem-ibrc"), ibrc));
  CHECK(none.verdict == Verdict::keep);
  CHECK(none.space == 1);
  CHECK(none.candidates.empty());
}

TEST_CASE("per-peer settings count for every peer", "[advise]") {
  const auto& facts = platforms.at("P-IB").facts;
  auto r = request(Goal::rate, "payload=8;threads=1024;sms=64");
  r.pes = 9;
  const Space space{r, presets.at("nvshmem-ibgda"), facts};
  const auto base = space.base();
  CHECK(base.number(Key::qps, 0) == 16);
  CHECK(base.number(Key::active_qps, 0) == 16);
  CHECK(space.queue_pairs(base) == 16);
  r.fixed.set(Key::qps, 3);
  CHECK(Space{r, presets.at("nvshmem-ibgda"), facts}.base().number(Key::qps, 0) == 24);
  const Space proxy{r, presets.at("mscclpp"), facts};
  CHECK(proxy.cores(proxy.base()) == 1);
}

TEST_CASE("bad requests say what would be right", "[advise]") {
  const auto& facts = platforms.at("P-IB").facts;
  const auto refused = [&](const Request& r, const char* library, const char* about) {
    CHECK_THROWS_WITH((Space{r, presets.at(library), facts}), Catch::Contains(about));
  };
  refused(request(Goal::rate, "payload=8"), "nvshmem-ibgda", "threads");
  auto r = request(Goal::rate, "payload=8;threads=64");
  r.constraints.isolate = true;
  refused(r, "gin-gdaki", "background_ctas");
  r.fixed.set(Key::background_ctas, 64);
  refused(r, "nvshmem-ibrc", "no queue of its own");
  auto limited = request(Goal::rate, "payload=8;threads=64");
  limited.limits[Key::workers] = {1, 2};
  refused(limited, "nvshmem-ibgda", "no such setting");
  // A bound nobody can keep.
  auto tight = request(Goal::rate, "payload=8;threads=64");
  tight.constraints.max_latency = 0.01;
  const auto& preset = presets.at("nvshmem-ibgda");
  const auto& platform = platforms.at("P-IB");
  const auto a = advise::advise(platform, preset, tight, agreeing(platform, preset, tight));
  CHECK(a.verdict == Verdict::none);
  CHECK_THAT(a.reason, Catch::Contains("--max-latency 0.01: ") && Catch::Contains("is the least"));
  const auto unmet = [&](auto set) {
    auto asked = request(Goal::rate, "payload=8;threads=64");
    set(asked.constraints);
    const auto none = advise::advise(platform, preset, asked, agreeing(platform, preset, asked));
    CHECK(none.verdict == Verdict::none);
    return none.reason;
  };
  CHECK_THAT(unmet([](auto& c) { c.min_rate = 1e5; }), Catch::Contains("--min-rate 100000: "));
  CHECK_THAT(unmet([](auto& c) { c.queue_pairs = 0.5; }), Catch::Contains("--qp-budget 0.5"));
  CHECK_THAT(unmet([](auto& c) {
               c.max_latency = 1e6;
               c.min_rate = 1e5;
             }),
             Catch::Contains("keeps --min-rate"));
  CHECK(!a.reason.empty());
}
