// The mlx5 back end over a fake adapter whose commands take effect: control path, WQEs, doorbells
// and completions as on a ConnectX, carried out by the emulated NIC.
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <thread>

#include "hw/nic/mlx5/channel.hpp"
#include "hw/nic/mlx5/dc_target.hpp"
#include "hw/nic/mlx5/fake_adapter.hpp"
#include "hw/nic/mlx5/mlx5.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using namespace qpcast::hw::mlx5;
using Catch::Contains;

namespace {

/// A region and a channel at each end of one adapter.
struct Ends {
  explicit Ends(const ChannelOptions& options = {64, 220}, const emulated::Imposed& imposed = {})
      : calls{std::make_shared<FakeAdapter>(imposed)},
        nic{calls},
        here{nic.allocate(8192)},
        there{nic.allocate(8192)},
        ours{nic.open(*here, options)},
        theirs{nic.open(*there, options)} {}
  void connect() {
    ours->connect(theirs->address());
    theirs->connect(ours->address());
  }
  /// Polls until `count` completions have come. @return the last one's id
  std::uint64_t wait(std::size_t count) {
    std::array<Completed, 8> got{};
    std::uint64_t last = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (count > 0) {
      if (std::chrono::steady_clock::now() > end) FAIL("no completion");
      const auto n = ours->poll(got);
      if (n == 0) continue;
      last = got.at(n - 1).id;
      count -= n;
    }
    return last;
  }
  std::shared_ptr<FakeAdapter> calls;
  Mlx5Nic nic;
  std::unique_ptr<hw::Region> here, there;
  std::unique_ptr<Channel> ours, theirs;
};

}  // namespace

TEST_CASE("writes, inline writes and atomics arrive through the mlx5 control path") {
  Ends ends;
  ends.connect();
  const auto payload = GENERATE(1U, 8U, 31U, 220U, 221U, 4096U);
  const bool inlined = payload <= 220;
  INFO(payload);
  for (std::size_t i = 0; i < 8192; ++i) ends.here->bytes()[i] = static_cast<std::byte>(i * 7);
  for (std::uint64_t round = 1; round <= 300; ++round) {  // several times around the ring
    const std::array<WorkRequest, 2> chain{
        WorkRequest{Operation::write, inlined, false, payload, 5, 9, 0},
        WorkRequest{Operation::fetch_add, false, true, 8, 8000, 8000, round}};
    ends.ours->post(chain);
    REQUIRE(ends.wait(1) == round);
  }
  CHECK(std::memcmp(ends.there->bytes().data() + 9, ends.here->bytes().data() + 5, payload) == 0);
  std::uint64_t sum = 0;
  std::memcpy(&sum, ends.there->bytes().data() + 8000, sizeof sum);
  CHECK(sum == 300);
  CHECK(ends.calls->mistakes.empty());
}

TEST_CASE("a full send queue and a request outside the region are refused") {
  Ends ends{{16, 0}};
  ends.connect();
  const std::vector<WorkRequest> seventeen(17);
  CHECK_THROWS_WITH(ends.ours->post(seventeen), Contains("depth of 16"));
  const std::array<WorkRequest, 1> outside{
      WorkRequest{Operation::write, false, true, 8, 8190, 0, 0}};
  CHECK_THROWS_WITH(ends.ours->post(outside), Contains("outside the region"));
}

TEST_CASE("an error completion is decoded to text with advice") {
  Ends ends;
  ends.connect();
  const std::array<WorkRequest, 1> beyond{
      WorkRequest{Operation::write, false, true, 8, 0, 8190, 0}};
  ends.ours->post(beyond);
  CHECK_THROWS_WITH(ends.wait(1), Contains("remote access error") && Contains("left its region"));
}

TEST_CASE("what happens to the device or the queue pair ends the wait with its reason") {
  const auto [fault, words] = GENERATE(
      table<const char*, const char*>({{"fault=device-removed", "the device was removed"},
                                       {"fault=completion-overrun", "the completion queue overran"},
                                       {"fault=queue-error", "local QP operation error"},
                                       {"fault=peer-dead", "the peer died"}}));
  INFO(fault);
  Ends ends{{64, 0}, emulated::parse_imposed(fault)};
  ends.connect();
  const std::array<WorkRequest, 1> one{WorkRequest{Operation::write, false, true, 8, 0, 0, 1}};
  ends.ours->post(one);
  CHECK_THROWS_WITH(ends.wait(1), Contains(words));
}

TEST_CASE("each call failing in turn says which, why and what would help, and leaks nothing") {
  std::size_t fallible = 0;
  {
    Ends whole;
    whole.connect();
    fallible = whole.calls->made.size();
  }
  REQUIRE(fallible == 18);  // 2 regions; rings, page, CQ, QP, three transitions and a route each
  for (std::size_t at = 1; at <= fallible; ++at) {
    const auto calls = std::make_shared<FakeAdapter>();
    calls->fail_at = at;
    INFO(at);
    std::string message;
    try {
      Mlx5Nic nic{calls};
      const auto here = nic.allocate(8192), there = nic.allocate(8192);
      const auto ours = nic.open(*here, {64, 220}), theirs = nic.open(*there, {64, 220});
      ours->connect(theirs->address());
      theirs->connect(ours->address());
    } catch (const DeviceError& error) {
      message = error.what();
      CHECK(error.code() == EPERM);
    }
    CHECK_THAT(message, Contains("mlx5_0 (emulated): ") && Contains("Operation not permitted; "));
    CHECK(message.find("; ") + 2 < message.size());  // and advice after it
    CHECK(calls->live.empty());
    CHECK(calls->mistakes.empty());
  }
}

TEST_CASE("a DC initiator writes to a DC target that it is told of in each WQE") {
  constexpr std::uint64_t key = 0x1122334455667788;
  FakeAdapter calls;
  calls.ethernet = GENERATE(true, false);
  std::array<std::uint64_t, 8> source{1, 2, 3, 4, 5, 6, 7, 8}, target{};
  const auto from = calls.register_region(source.data(), sizeof source);
  const auto to = calls.register_region(target.data(), sizeof target);
  {
    const DcTarget dct{calls, key};
    QueuePair dci{calls, {16, Memory::host, false, Completions::ring, Transport::dc}};
    dci.activate();
    const auto view = dci.view();
    const ChannelOptions options{16, 0};
    direct::DirectQueue queue{
        calls.name(),
        {view.send_queue, 1U << view.log_depth,
         reinterpret_cast<const wqe::CompletionEntry*>(view.completion_queue), view.log_depth,
         view.qp_record, view.cq_record, static_cast<std::uint64_t*>(view.doorbell), view.qpn},
        {std::as_bytes(std::span{source}), from.lkey},
        options,
        emulated::describe};
    Address peer;
    peer.region_address = reinterpret_cast<std::uintptr_t>(target.data());
    peer.region_key = to.rkey;
    queue.connect(peer);
    const auto write = [&](std::uint64_t access_key) {
      queue.route({access_key, dct.number(), dct.lid(), 0, 0});
      const std::array<WorkRequest, 1> all{
          WorkRequest{Operation::write, false, true, sizeof source, 0, 0, 1}};
      queue.post(all);
      std::array<Completed, 1> got{};
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
      while (queue.poll(got) == 0)
        if (std::chrono::steady_clock::now() > end) FAIL("no completion");
    };
    write(key);
    CHECK(target == source);
    CHECK_THROWS_WITH(write(key + 1), Contains("access key"));
  }
  calls.deregister_region(from.handle);
  calls.deregister_region(to.handle);
  CHECK(calls.live.empty());
  CHECK(calls.mistakes.empty());
}

TEST_CASE("each call of a DC target failing in turn leaks nothing") {
  std::size_t fallible = 0;
  {
    FakeAdapter calls;
    const DcTarget whole{calls, 1};
    fallible = calls.made.size();
  }
  REQUIRE(fallible == 5);
  for (std::size_t at = 1; at <= fallible; ++at) {
    FakeAdapter calls;
    calls.fail_at = at;
    CHECK_THROWS_WITH((DcTarget{calls, 1}), Contains("Operation not permitted; "));
    CHECK(calls.live.empty());
    CHECK(calls.mistakes.empty());
  }
}
