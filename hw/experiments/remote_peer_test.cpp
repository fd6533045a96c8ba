#include "hw/experiments/remote_peer.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <future>
#include <nlohmann/json.hpp>

#include "hw/exchange/exchange.hpp"
#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/memory_nic.hpp"
#include "hw/experiments/passes.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using namespace std::chrono_literals;

namespace {

/// A server in a thread of this process, so that "the other node" is reachable by pointer.
struct Served {
  Served() : listener{{"127.0.0.1", 0}} {
    const Endpoint at{"127.0.0.1", listener.port()};
    server = std::async(std::launch::async, [this] {
      auto accepted = listener.accept("t", 5s);
      LocalPeer local{nic};
      serve_peer(accepted, local, 5s);
    });
    exchange = std::make_unique<Exchange>(Exchange::connect(at, "t", 5s));
  }
  MemoryNic nic;
  Listener listener;
  std::future<void> server;
  std::unique_ptr<Exchange> exchange;
};

}  // namespace

TEST_CASE("passes over the exchange: 600 queue pairs, payload checked at the server") {
  Served served;
  RemotePeer peer{*served.exchange, 5s};
  const Bench bench{served.nic, peer, {}, 1s, nullptr};
  {
    Link link{bench, parse_layout("submitter=host;active_qps=600;payload=20;window=1200", "test")};
    CHECK(rate_pass(link, {5ms}, 1) > 0);
  }
  {
    Link link{bench, parse_layout("submitter=proxy;workers=1;rings=1;payload=8", "test")};
    CHECK_FALSE(round_trip_pass(link, {5ms}, {}).times.empty());
  }
  peer.finish();
  served.server.get();
}

TEST_CASE("a fault of the peer's queue pair ends a point, and the exchange goes on") {
  Served served;
  RemotePeer peer{*served.exchange, 5s};
  const Bench bench{served.nic, peer, {}, 200ms, nullptr};
  const auto layout = parse_layout("submitter=host;payload=8", "test");
  {
    std::size_t opened = 0;
    served.nic.on_open = [&](MemoryChannel& channel) { channel.fail_posts = ++opened == 2; };
    Link link{bench, layout};
    CHECK_THROWS_AS(round_trip_pass(link, {5ms}, {}), TransportError);  // the echo's
    served.nic.on_open = {};
  }
  {
    Link link{bench, layout};
    CHECK_FALSE(round_trip_pass(link, {5ms}, {}).times.empty());
  }
  peer.finish();
  served.server.get();
}

TEST_CASE("a peer says whether its transport failed or something else") {
  class Failing final : public Peer {
   public:
    std::vector<Address> open(const LinkSpec&, std::span<const Address>) override { return {}; }
    void clear() override { throw DeviceError{"memory", "clear", ENODEV, "removed"}; }
    std::optional<std::uint64_t> check(std::uint64_t, const PayloadShape&) override { return {}; }
    void start_echo() override {}
    void stop_echo() override { throw TransportError{"memory", "poll", 0, "in error"}; }
    void close() override {}
  };
  Listener listener{{"127.0.0.1", 0}};
  const Endpoint at{"127.0.0.1", listener.port()};
  auto server = std::async(std::launch::async, [&] {
    auto accepted = listener.accept("t", 5s);
    Failing failing;
    serve_peer(accepted, failing, 5s);
  });
  auto exchange = Exchange::connect(at, "t", 5s);
  RemotePeer peer{exchange, 5s};
  CHECK_THROWS_WITH(peer.stop_echo(), Catch::Contains("in error"));
  CHECK_THROWS_AS(peer.stop_echo(), TransportError);
  CHECK_THROWS_AS(peer.clear(), ExchangeError);
  peer.finish();
  server.get();
}

TEST_CASE("a server refuses what is out of bounds and goes on serving") {
  Served served;
  const auto ask = [&](const nlohmann::json& command) {
    return nlohmann::json::parse(served.exchange->trade(command.dump(), 5s));
  };
  for (const nlohmann::json& wrong : {
           nlohmann::json{{"do", "format-disk"}},
           nlohmann::json{{"no", "command"}},
           nlohmann::json{{"do", "addresses"}, {"list", {1, 2}}},
           nlohmann::json{{"do", "open"}, {"qps", 1e9}, {"depth", 1}},
           nlohmann::json{{"do", "open"},
                          {"qps", 1},
                          {"depth", 16},
                          {"region_bytes", std::uint64_t{1} << 40},
                          {"largest_inline", 0},
                          {"proxy", false}},
           nlohmann::json{{"do", "open"},
                          {"qps", 1},
                          {"depth", 16},
                          {"region_bytes", 8192},
                          {"largest_inline", 0},
                          {"proxy", false}},
       })
    CHECK(ask(wrong).contains("error"));
  RemotePeer{*served.exchange, 5s}.finish();
  served.server.get();
}

TEST_CASE("a client that dies ends the server with an error, and the other way round") {
  Served served;
  SECTION("client dies") {
    served.exchange.reset();
    CHECK_THROWS_AS(served.server.get(), ExchangeError);
  }
  SECTION("client speaks nonsense") {
    served.exchange->send("not json", 5s);
    CHECK_THROWS_WITH(served.server.get(), Catch::Contains("no JSON object"));
    RemotePeer peer{*served.exchange, 5s};
    CHECK_THROWS_AS(peer.clear(), ExchangeError);
  }
}
