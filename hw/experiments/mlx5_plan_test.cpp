// The quick plan's CPU experiments through the mlx5 back end, over the fake adapter whose queues
// the emulated NIC serves; its faults; and two ends that meet over the exchange.
#include <algorithm>
#include <catch2/catch.hpp>
#include <future>
#include <string_view>

#include "hw/exchange/exchange.hpp"
#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/remote_peer.hpp"
#include "hw/experiments/run.hpp"
#include "hw/experiments/scratch.hpp"
#include "hw/experiments/short_plan.hpp"
#include "hw/nic/mlx5/fake_adapter.hpp"
#include "hw/nic/mlx5/mlx5.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using namespace std::chrono_literals;
using Catch::Contains;
using mlx5::FakeAdapter;

namespace {

RunReport run(Nic& nic, Peer& peer, const Plan& plan, const std::string& file) {
  const Bench bench{nic, peer, {}, 10'000ms, nullptr};  // a loaded machine is slow
  RowFile rows{file, nic.kind(), nic.name()};
  return run_plan(plan, bench, "test", nic.environment(), rows);
}

}  // namespace

TEST_CASE("every CPU experiment of the quick plan runs through mlx5, payload validated", "[mlx5]") {
  Scratch scratch;
  const auto calls = std::make_shared<FakeAdapter>();
  {
    Mlx5Nic nic{calls};
    LocalPeer peer{nic};
    const auto plan = short_plan({});
    const auto report = run(nic, peer, plan, scratch.file());
    CHECK(report.skipped.size() == plan.skipped.size());  // the device refused nothing
    CHECK(report.measured == scratch.rows().size());
    CHECK(report.measured > plan.points.size());
  }
  for (const auto& row : scratch.rows()) {
    INFO(row.dump());
    CHECK(row["value"].get<double>() > 0);
    CHECK(row["source"]["kind"] == "mlx5");
    CHECK(row["environment"]["nic"] == "mlx5_0 (emulated)");
    CHECK(row["environment"]["nic.firmware"] == "emulated");
  }
  CHECK(calls->server.counters().served > 0);
  CHECK(calls->server.counters().errors == 0);
  CHECK(calls->server.counters().record_behind == 0);
  CHECK(calls->live.empty());
  CHECK(calls->mistakes.empty());
}

TEST_CASE("a fault under mlx5 ends its point, or the run, and gives everything back", "[mlx5]") {
  const auto [fault, message] =
      GENERATE(table<const char*, const char*>({{"queue-error", "local QP operation error"},
                                                {"completion-overrun", "completion queue overran"},
                                                {"peer-dead", "the peer died"},
                                                {"device-removed", "the device was removed"}}));
  INFO(fault);
  Scratch scratch;
  const auto calls = std::make_shared<FakeAdapter>(
      emulated::parse_imposed(std::string{"after=500;fault="} + fault));
  {
    Mlx5Nic nic{calls};
    LocalPeer peer{nic};
    const auto plan = short_plan({"handoff", "batching", "queues"});
    if (std::string_view{fault} == "device-removed") {
      CHECK_THROWS_WITH(run(nic, peer, plan, scratch.file()), Contains(message));
    } else {
      const auto report = run(nic, peer, plan, scratch.file());
      REQUIRE(report.failed.size() == 1);
      CHECK_THAT(report.failed[0].reason, Contains(message));
      CHECK(report.measured > 0);
    }
  }
  CHECK(calls->live.empty());
  CHECK(calls->mistakes.empty());
}

TEST_CASE("a call that fails while a link is set up leaves no row and leaks nothing", "[mlx5]") {
  Scratch scratch;
  const auto calls = std::make_shared<FakeAdapter>();
  calls->fail_at = GENERATE(range(1, 18));
  INFO(calls->fail_at);
  {
    Mlx5Nic nic{calls};
    LocalPeer peer{nic};
    CHECK_THROWS_WITH(run(nic, peer, short_plan({"handoff"}), scratch.file()),
                      Contains("Operation not permitted"));
  }
  CHECK(scratch.rows().empty());
  CHECK(calls->live.empty());
  CHECK(calls->mistakes.empty());
}

TEST_CASE("two ends trade mlx5 addresses over the exchange, on Ethernet and InfiniBand", "[mlx5]") {
  Scratch scratch;
  // One adapter with both ends on it: the emulation has no wire.
  const auto calls = std::make_shared<FakeAdapter>();
  calls->ethernet = GENERATE(true, false);
  Listener listener{{"127.0.0.1", 0}};
  auto server = std::async(std::launch::async, [&] {
    auto accepted = listener.accept("t", 5s);
    Mlx5Nic nic{calls};
    LocalPeer local{nic};
    serve_peer(accepted, local, 5s);
  });
  {
    auto exchange = Exchange::connect({"127.0.0.1", listener.port()}, "t", 5s);
    Mlx5Nic nic{calls};
    RemotePeer peer{exchange, 5s};
    const auto report =
        run(nic, peer, short_plan({"handoff", "loaded round trip", "queues"}), scratch.file());
    CHECK(report.measured > 10);
    peer.finish();
  }
  server.get();
  CHECK(calls->live.empty());
  CHECK(calls->mistakes.empty());
}
