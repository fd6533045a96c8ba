// The plans on the emulated NIC, and its faults: each ends with a message and keeps its rows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/measure.hpp"
#include "hw/experiments/run.hpp"
#include "hw/experiments/scratch.hpp"
#include "hw/experiments/short_plan.hpp"
#include "hw/experiments/subject.hpp"
#include "hw/nic/emulated/emulated.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using namespace std::chrono_literals;

namespace {

RunReport run(EmulatedNic& nic, const Plan& plan, const std::string& file) {
  LocalPeer peer{nic};
  const Bench bench{nic, peer, {}, 2000ms, nullptr};
  RowFile rows{file, nic.kind(), nic.name()};
  return run_plan(plan, bench, "test", nic.environment(), rows);
}

}  // namespace

TEST_CASE("every experiment runs on the emulated NIC, with its payload validated") {
  Scratch scratch;
  EmulatedNic nic;
  const auto plan = short_plan({});
  const auto report = run(nic, plan, scratch.file());
  const auto rows = scratch.rows();
  CHECK(report.measured == rows.size());
  CHECK(report.measured > plan.points.size());
  CHECK(report.skipped.size() == plan.skipped.size());
  for (const auto& row : rows) {
    INFO(row.dump());
    CHECK(row["value"].get<double>() > 0);
    CHECK(row["source"]["kind"] == "emulated");
    CHECK(row["environment"]["nic.mode"].get<std::string>().starts_with("execute"));
    for (const auto& [key, value] : row["environment"].items())
      CHECK_FALSE(key.starts_with("nic.errors"));
  }
  CHECK(nic.error_counters()["wqe_errors"] == 0);
  CHECK(nic.server().counters().served > 0);
}

TEST_CASE("a sink's rows say so, and nothing asks it for an answer") {
  Scratch scratch;
  EmulatedNic nic{emulated::parse_imposed("mode=sink")};
  const auto plan = short_plan({"single operation", "batching", "loaded round trip"});
  const auto trips = std::ranges::count(plan.points, Method::round_trip, &Point::method);
  REQUIRE(trips > 0);
  const auto report = run(nic, plan, scratch.file());
  CHECK(report.skipped.size() == plan.skipped.size() + static_cast<std::size_t>(trips));
  CHECK(report.measured > 0);
  for (const auto& row : scratch.rows()) {
    CHECK(row["environment"]["nic.mode"].get<std::string>().starts_with("sink"));
    CHECK(row["source"]["kind"] == "emulated");
  }
}

TEST_CASE("no row is faster than the rate that the NIC imposes") {
  Scratch scratch;
  constexpr double imposed = 0.05;  // messages/us: 100 in the shortest pass
  EmulatedNic nic{emulated::parse_imposed("rate=0.05")};
  auto plan = short_plan({"queues"});
  run(nic, plan, scratch.file());
  std::size_t rates = 0;
  for (const auto& row : scratch.rows()) {
    if (row["metric"] != "rate") continue;
    INFO(row.dump());
    // The first message of a pass is served at once, and n take (n - 1) / rate.
    CHECK(row["hi"].get<double>() <= imposed * 80 / 79);
    ++rates;
  }
  CHECK(rates > 0);
}

TEST_CASE("what a NIC imposes is in its name, so that its rows do not mix with others") {
  Scratch scratch;
  EmulatedNic slow{emulated::parse_imposed("rate=0.5")};
  run(slow, short_plan({"handoff"}), scratch.file());
  EmulatedNic plain;
  CHECK_THROWS_AS(run(plain, short_plan({"handoff"}), scratch.file()), InputError);
}

TEST_CASE("queue pairs that no adapter has are refused as verbs devices refuse them") {
  EmulatedNic nic;
  const auto region = nic.allocate(4096);
  const auto code = [&](const ChannelOptions& options) {
    try {
      nic.open(*region, options);
    } catch (const DeviceError& error) {
      return error.code();
    }
    return 0;
  };
  CHECK(code({128, 220}) == 0);
  CHECK(code({128, 221}) == EINVAL);
  CHECK(code({32768, 0}) == 0);
  CHECK(code({32768, 220}) == EINVAL);
  CHECK(code({0, 0}) == EINVAL);
}

TEST_CASE("a fault of a queue pair ends its point, a removed device the run; rows stay") {
  const auto [fault, message] = GENERATE(
      table<const char*, const char*>({{"queue-error", "put into error on request"},
                                       {"completion-overrun", "the completion queue overran"},
                                       {"peer-dead", "the peer died"},
                                       {"device-removed", "the device was removed"}}));
  INFO(fault);
  Scratch scratch;
  const auto plan = short_plan({"handoff"});
  EmulatedNic whole;
  run(whole, plan, scratch.file());
  const auto finished = scratch.rows();
  REQUIRE_FALSE(finished.empty());

  EmulatedNic breaking{emulated::parse_imposed(std::string{"after=500;fault="} + fault)};
  auto longer = short_plan({"handoff", "batching", "queues"});
  if (std::string_view{fault} == "device-removed") {
    CHECK_THROWS_WITH(run(breaking, longer, scratch.file()), Catch::Contains(message));
  } else {
    const auto report = run(breaking, longer, scratch.file());
    REQUIRE(report.failed.size() == 1);
    CHECK_THAT(report.failed[0].reason, Catch::Contains(message));
    CHECK(report.measured > 0);  // the points behind it, on new queue pairs
  }
  const auto rows = scratch.rows();
  REQUIRE(rows.size() >= finished.size());
  CHECK(std::equal(finished.begin(), finished.end(), rows.begin()));

  CHECK(run(whole, longer, scratch.file()).failed.empty());  // the next run continues
  std::size_t asked = 0;
  for (const auto& point : longer.points) asked += metrics_of(point).size();
  CHECK(scratch.rows().size() == asked);
}

TEST_CASE("a fault while the posting thread waits behind a host queue") {
  Scratch scratch;
  const auto layout = std::string{"submitter=host;qps=2;batch=4;payload=64;window=64"};
  const auto fault = GENERATE("queue-error", "completion-overrun", "peer-dead", "device-removed");
  INFO(fault);
  EmulatedNic nic{emulated::parse_imposed(std::string{"after=100;fault="} + fault)};
  auto plan = short_plan({"handoff"});
  use_layouts(plan, {layout});
  if (std::string_view{fault} == "device-removed")
    CHECK_THROWS_AS(run(nic, plan, scratch.file()), DeviceError);
  else
    CHECK(run(nic, plan, scratch.file()).failed.size() == 1);
  CHECK(scratch.rows().empty());
}

TEST_CASE("measure opens the emulated NIC, and refuses what it does not know") {
  Scratch scratch;
  MeasureOptions options;
  options.output = scratch.file();
  options.experiments = {"handoff"};
  options.passes = 1;
  std::ostringstream out;
  SECTION("rows") {
    CHECK(measure(options, out).failed == 0);
    CHECK(out.str().find("rows measured on mlx5-format (emulated)") != std::string::npos);
    CHECK_FALSE(scratch.rows().empty());
    options.alternate = GENERATE(false, true);
    CHECK(measure(options, out).failed == 0);
    CHECK(out.str().find("nothing is left to measure: it has all") != std::string::npos);
  }
  SECTION("a point that fails") {
    options.emulate = "fault=queue-error;after=100";
    CHECK(measure(options, out).failed == 1);
    CHECK(out.str().find("1 failed") != std::string::npos);
    CHECK(out.str().find("failed handoff: ") != std::string::npos);
  }
  SECTION("imposed what there is not") {
    options.emulate = "speed=1";
    CHECK_THROWS_WITH(measure(options, out), Catch::Contains("not one of mode"));
  }
  SECTION("imposed on a real one") {
    options.nic = "verbs";
    options.emulate = "rate=1";
    CHECK_THROWS_AS(measure(options, out), InputError);
  }
}
