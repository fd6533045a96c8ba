#include "hw/experiments/run.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "hw/clocks/fake_nvml.hpp"
#include "hw/experiments/holdout.hpp"
#include "hw/experiments/interrupt.hpp"
#include "hw/experiments/run_fixture.hpp"
#include "hw/experiments/short_plan.hpp"
#include "hw/experiments/statistics.hpp"
#include "hw/experiments/subject.hpp"
#include "hw/gda/gpu_layout.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using namespace std::chrono_literals;
using Fixture = RunFixture;

TEST_CASE("mini-gda can run every GPU layout of both plans") {
  const auto* name = GENERATE("quick", "full");
  int gpu_points = 0;
  for (const auto& point :
       make_plan(name, {.kind = "emulated", .processors = 16, .no_gpu = {}, .no_dc = {}}, {})
           .points) {
    if (!gpu_submits(point.layout)) continue;
    INFO(point.layout.to_string());
    CHECK_NOTHROW(gpu_layout(point.layout));
    ++gpu_points;
  }
  CHECK(gpu_points > 40);
}

TEST_CASE("every experiment of the quick plan runs or says why not") {
  Fixture f;
  const auto plan = short_plan({});
  const auto report = f.run(plan);
  CHECK(report.measured == f.rows().size());
  CHECK(report.skipped.size() == plan.skipped.size());
  for (const auto& name : experiment_names()) {
    INFO(name);
    const bool ran =
        std::ranges::any_of(plan.points, [&](auto& p) { return p.experiment == name; });
    const bool said =
        std::ranges::any_of(plan.skipped, [&](auto& s) { return s.experiment == name; });
    CHECK((ran || said));
  }
  for (const auto& row : f.rows()) {
    INFO(row.dump());
    CHECK(row["value"].get<double>() > 0);
    CHECK(row["lo"].get<double>() <= row["value"].get<double>());
    CHECK(row["value"].get<double>() <= row["hi"].get<double>());
    CHECK(row["passes"] == 2);
    CHECK(row["source"]["kind"] == "emulated");
  }
}

TEST_CASE("the full plan's layouts are all valid") {
  const auto plan =
      make_plan("full", {.kind = "verbs", .processors = 16, .no_gpu = "no", .no_dc = "no"}, {});
  CHECK(plan.points.size() > 100);
  CHECK_THROWS_WITH(make_plan("short", {}, {}), Catch::Contains("quick, full"));
  CHECK_THROWS_WITH(make_plan("quick", {}, {"batch"}), Catch::Contains("batching"));
}

TEST_CASE("a second run measures nothing again") {
  Fixture f;
  const auto plan = short_plan({"handoff", "batching"});
  const auto first = f.run(plan);
  const auto before = f.rows();
  const auto second = f.run(plan);
  CHECK(second.measured == 0);
  CHECK(second.kept == first.measured);
  CHECK(second.was_finished);
  CHECK_FALSE(first.was_finished);
  CHECK(f.rows() == before);
  CHECK(f.scratch.plan_notes().size() == 1);
}

TEST_CASE("layouts that the device refuses are listed, the others run") {
  Fixture f;
  f.nic.refuse_inline = true;
  const auto report = f.run(short_plan({"inline sweep"}));
  CHECK(report.measured == 6);
  REQUIRE(report.skipped.size() == 6);
  CHECK(report.skipped[0].reason.find("no inline data") != std::string::npos);
  const auto notes = f.scratch.point_notes();
  REQUIRE(notes.size() == 6);
  CHECK(notes[0]["outcome"] == "skipped");
  f.run(short_plan({"inline sweep"}));
  CHECK(f.scratch.point_notes().size() == 6);  // said once
}

TEST_CASE("a fault of one point's transport ends the point; a run that resumes tries it again") {
  Fixture f;
  auto plan = short_plan({"handoff", "queues"});
  plan.alternate = GENERATE(false, true);
  std::size_t opened = 0;
  // A link has two channels: the second link's fail, and no other's.
  const auto second_link = [&] { return ++opened == 3 || opened == 4; };
  std::string why;
  SECTION("a queue pair goes to error") {
    why = "queue pair in error";
    f.nic.on_open = [&](MemoryChannel& channel) { channel.fail_posts = second_link(); };
  }
  SECTION("nothing completes until the deadline") {
    why = "did the peer die";
    f.patience = 200ms;
    f.nic.on_open = [&](MemoryChannel& channel) { channel.silent = second_link(); };
  }
  const auto report = f.run(plan);
  REQUIRE(report.failed.size() == 1);
  CHECK_THAT(report.failed[0].reason, Catch::Contains(why));
  CHECK(report.failed[0].layout == plan.points[1].layout.to_string());
  const auto missing = metrics_of(plan.points[1]).size();
  CHECK(report.measured == f.rows().size());
  const auto notes = f.scratch.point_notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0]["outcome"] == "failed");
  CHECK(notes[0]["rows"].size() == missing);
  CHECK_THAT(notes[0]["reason"].get<std::string>(), Catch::Contains(why));

  f.nic.on_open = {};
  f.patience = 10s;
  const auto before = f.rows();
  const auto again = f.run(plan);
  CHECK(again.failed.empty());
  CHECK(again.measured == missing);
  CHECK(again.kept == before.size());
  const auto after = f.rows();
  CHECK(std::equal(before.begin(), before.end(), after.begin()));
  for (const auto& row : after) CHECK(row["passes"] == plan.passes);
}

TEST_CASE("points that fail one after the other end the run, and finished rows stay") {
  Fixture f;
  const auto plan = short_plan({"handoff", "batching", "queues"});
  REQUIRE(plan.points.size() > most_failures_in_a_row + 1);
  std::size_t opened = 0;
  f.nic.on_open = [&](MemoryChannel& channel) { channel.fail_posts = ++opened > 2; };
  CHECK_THROWS_WITH(f.run(plan), Catch::Contains("5 points in a row failed") &&
                                     Catch::Contains("queue pair in error"));
  CHECK(f.rows().size() == metrics_of(plan.points[0]).size());
  CHECK(f.scratch.point_notes().size() == most_failures_in_a_row);
}

TEST_CASE("what concerns the whole machine ends the run at once, and finished rows stay") {
  Fixture f;
  const auto plan = short_plan({"handoff"});
  std::size_t opened = 0;
  SECTION("SIGINT") {
    const InterruptScope scope;
    f.nic.on_open = [&](MemoryChannel&) {
      if (++opened == 3) std::raise(SIGINT);
    };
    CHECK_THROWS_AS(f.run(plan, &InterruptScope::flag()), Interrupted);
    CHECK(f.scratch.point_notes().empty());
  }
  SECTION("the device goes while a point fails") {
    f.nic.on_open = [&](MemoryChannel& channel) { channel.fail_posts = f.nic.gone = ++opened > 2; };
    CHECK_THROWS_WITH(f.run(plan), Catch::Contains("the device was removed"));
    CHECK(f.scratch.point_notes().size() == 1);
  }
  CHECK(f.rows().size() == 2);
}

TEST_CASE("rows measured while the NIC counted errors stay, and name the counters") {
  Fixture f;
  f.nic.errors = {{"out_of_sequence", 5}, {"local_ack_timeout_err", 2}};
  std::size_t opened = 0;
  f.nic.on_open = [&](MemoryChannel&) {
    // A link has two channels: the second link's set-up is within its own measurement's time.
    if (++opened == 3)
      f.nic.on_count = [&, calls = 0]() mutable {
        if (++calls == 2) f.nic.errors["out_of_sequence"] = 12;
      };
  };
  const auto report = f.run(short_plan({"handoff"}));
  CHECK(report.troubled == 1);
  std::size_t flagged = 0;
  for (const auto& row : f.rows()) {
    INFO(row.dump());
    const auto& environment = row["environment"];
    CHECK_FALSE(environment.contains("nic.errors.local_ack_timeout_err"));
    if (!environment.contains("nic.errors.out_of_sequence")) continue;
    CHECK(environment["nic.errors.out_of_sequence"] == "7");
    ++flagged;
  }
  CHECK(flagged == 2);  // both metrics of one point
  CHECK(f.rows().size() == report.measured);
}

TEST_CASE("clocks are set where a layout names one, and reset whatever happens") {
  Fixture f;
  FakeNvml::Seen seen;
  NvmlClocks clocks{std::make_unique<FakeNvml>(seen)};
  auto plan = short_plan({"handoff"});
  const auto named = [&](const char* mhz) {
    return std::string{"submitter=host;qps=1;batch=1;payload=8;window=4;clock_mhz="} + mhz;
  };
  use_layouts(plan,
              {"submitter=host;qps=1;batch=1;payload=8;window=4", named("900"), named("1200")});
  std::vector<std::uint32_t> while_open;
  std::size_t opened = 0;
  f.nic.on_open = [&](MemoryChannel& channel) {
    while_open.push_back(seen.locked);
    channel.fail_posts = ++opened > 4;
  };
  CHECK(f.run(plan, nullptr, &clocks).failed.size() == 1);  // the last layout
  CHECK(while_open == std::vector<std::uint32_t>{0, 0, 900, 900, 1200, 1200});
  CHECK(seen.locked == 0);
  CHECK(seen.resets == 2);
  f.nic.on_open = {};
  f.run(plan);  // nobody asked for it
  CHECK(seen.locks.size() == 2);
}

TEST_CASE("the SM clock is swept when clocks may be set, and only then") {
  Scope scope{.kind = "emulated", .processors = 2, .no_gpu = {}, .no_dc = {}};
  CHECK(make_plan("quick", scope, {"SM clock"}).points.empty());
  CHECK_THAT(make_plan("quick", scope, {"SM clock"}).skipped.at(0).reason,
             Catch::Contains("--set-clocks"));
  scope.sm_clocks = {540, 1980};
  const auto plan = make_plan("quick", scope, {"SM clock"});
  CHECK(plan.points.size() == 4);
  for (const auto& point : plan.points) {
    CHECK(point.layout.has(Key::clock_mhz));
    CHECK_NOTHROW(gpu_layout(point.layout));
  }
}

TEST_CASE("without a doorbell mapping every GPU submitter is CPU-assisted, and said to be") {
  auto plan = make_plan("quick", {.kind = "mlx5", .processors = 2, .no_gpu = {}, .no_dc = {}}, {});
  const auto all = plan.points.size(), skipped = plan.skipped.size();
  assist_doorbells(plan, "PeerMappingOverride");
  CHECK(plan.points.size() < all);  // what was planned as cpu-assisted already is there once
  CHECK(plan.points.size() > all / 2);
  for (const auto& point : plan.points) {
    CHECK(point.layout.choice(Key::submitter, Submitter::host) != Submitter::gpu);
    CHECK_NOTHROW(point.layout.check("test"));
    if (gpu_submits(point.layout)) CHECK_NOTHROW(gpu_layout(point.layout));
  }
  REQUIRE(plan.skipped.size() == skipped + 1);
  CHECK_THAT(plan.skipped.back().reason, Catch::Contains("PeerMappingOverride"));
}

TEST_CASE("wrong payload is an error, not a row") {
  Fixture f;
  LocalPeer peer{f.nic};
  class Corrupting final : public Peer {
   public:
    explicit Corrupting(Peer& peer) : peer_{peer} {}
    std::vector<Address> open(const LinkSpec& spec, std::span<const Address> ours) override {
      return peer_.open(spec, ours);
    }
    void clear() override { peer_.clear(); }
    std::optional<std::uint64_t> check(std::uint64_t seed, const PayloadShape& shape) override {
      return peer_.check(seed ^ 1, shape);
    }
    void start_echo() override { peer_.start_echo(); }
    void stop_echo() override { peer_.stop_echo(); }
    void close() override { peer_.close(); }

   private:
    Peer& peer_;
  } corrupting{peer};
  const Bench bench{f.nic, corrupting, {}, 200ms, nullptr};
  RowFile rows{f.file, f.nic.kind(), f.nic.name()};
  auto plan = short_plan({"batching"});
  plan.points.resize(2);
  const auto report = run_plan(plan, bench, "test", f.nic.environment(), rows);
  REQUIRE(report.failed.size() == 2);
  CHECK_THAT(report.failed[0].reason, Catch::Contains("is wrong at the peer"));
  CHECK(rows.size() == 0);
}

TEST_CASE("quantiles interpolate, a summary orders its passes") {
  std::vector<double> samples{4, 1, 3, 2};
  CHECK(median(samples) == Approx(2.5));
  CHECK(quantile(samples, 0.99) == Approx(3.97));
  const auto summary = summarise({3, 1, 2});
  CHECK(summary.value == 2);
  CHECK(summary.lo == 1);
  CHECK(summary.hi == 3);
  CHECK(summary.spread == Approx(0.5));
}

TEST_CASE("the pattern shows a single wrong byte wherever it is") {
  std::vector<std::byte> bytes(5 * 24);
  fill_pattern(bytes, 7);
  const PayloadShape shape{5, 24, 20};
  CHECK_FALSE(first_difference(bytes, 7, shape));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto copy = bytes;
    copy[at] ^= std::byte{0x40};
    const auto found = first_difference(copy, 7, shape);
    if (at % 24 < 20)
      CHECK(found == at);
    else
      CHECK_FALSE(found);
  }
}

TEST_CASE("hold-out layouts: reproducible, unseen, distinct, and possible on the machine") {
  Scope scope{.kind = "emulated", .processors = 2, .no_gpu = "no GPU", .no_dc = "no GPU"};
  const auto draw = [&](std::uint64_t seed, std::set<std::string> seen = {}) {
    Plan plan;
    add_holdout({seed, 200, std::move(seen)}, scope, plan);
    std::set<std::string> layouts;
    for (const auto& point : plan.points) layouts.insert(point.layout.to_string());
    CHECK(plan.points.size() == 200);
    CHECK(layouts.size() == 200);
    return layouts;
  };
  const auto first = draw(7);
  CHECK(first == draw(7));
  CHECK(first != draw(8));
  for (const auto& layout : draw(7, first)) CHECK_FALSE(first.contains(layout));
  for (const auto& text : first) {
    const auto layout = parse_layout(text, "test");
    INFO(text);
    CHECK_FALSE(gpu_submits(layout));
    CHECK(layout.number(Key::workers, 1) == 1);  // two processors: one is the producer's
    CHECK_FALSE(layout.has(Key::background_ctas));
  }
  const auto probes = [](const auto& p) { return p.layout.has(Key::background_ctas); };
  scope.processors = 16;
  Plan without_gpu;
  add_holdout({7, 200, {}}, scope, without_gpu);
  CHECK(std::ranges::any_of(without_gpu.points, probes));
  scope = {.kind = "emulated", .processors = 16, .no_gpu = {}, .no_dc = {}};
  Plan plan;
  add_holdout({7, 200, {}}, scope, plan);
  CHECK(std::ranges::any_of(plan.points, [](auto& p) { return gpu_submits(p.layout); }));
  // A CPU would play the probe.
  CHECK(std::ranges::none_of(plan.points, probes));
  for (const auto& point : plan.points)
    if (gpu_submits(point.layout)) CHECK_NOTHROW(gpu_layout(point.layout));
}

TEST_CASE("a GPU feeds each ring of a proxy by a thread, a CPU all of them by one") {
  const auto check = [](const Scope& scope, bool gpu) {
    Plan plan = make_plan("full", scope, {});
    add_holdout({7, 200, {}}, scope, plan);
    int several = 0;
    for (const auto& point : plan.points) {
      if (!point.layout.has(Key::rings) || point.method != Method::rate) continue;
      INFO(point.layout.to_string());
      const double rings = point.layout.number(Key::rings, 1);
      CHECK(point.layout.number(Key::threads, 0) == (gpu ? rings : 1));
      several += rings > 1 ? 1 : 0;
    }
    CHECK(several > 10);
  };
  check({.kind = "emulated", .processors = 16, .no_gpu = {}, .no_dc = {}}, true);
  check({.kind = "verbs", .processors = 16, .no_gpu = "no", .no_dc = "no"}, false);
}
