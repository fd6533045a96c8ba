// Run by two ranks: rank 1 serves, rank 0 asks, as `measure` does over MPI. The NIC copies within a
// process, so that what is checked of the payload is that nothing of it arrives.
#define CATCH_CONFIG_RUNNER
#include "hw/exchange/ranks.hpp"

#include <catch2/catch.hpp>
#include <iostream>

#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/memory_nic.hpp"
#include "hw/experiments/remote_peer.hpp"
#include "hw/interrupted.hpp"

using namespace qpcast::hw;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {
Ranks* ranks = nullptr;
}

TEST_CASE("messages arrive whole and in order, up to the largest") {
  auto other = ranks->with(1 - ranks->rank());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, Dialogue::largest_message}) {
    const std::string mine(size, static_cast<char>('a' + ranks->rank()));
    const std::string theirs(size, static_cast<char>('a' + 1 - ranks->rank()));
    // Both cannot send first: a large message waits for its receiver.
    if (ranks->rank() == 0) {
      other->send(mine, 60s);
      CHECK(other->receive(60s) == theirs);
    } else {
      CHECK(other->receive(60s) == theirs);
      other->send(mine, 60s);
    }
  }
  CHECK_THROWS_WITH(other->send(std::string(Dialogue::largest_message + 1, 'x'), 1s),
                    Contains("at most"));
}

TEST_CASE("a wait has a deadline and can be interrupted") {
  auto other = ranks->with(1 - ranks->rank());
  if (ranks->rank() == 1) {  // says nothing before it is told that the wait is over
    CHECK(other->receive(60s) == "over");
    return;
  }
  CHECK_THROWS_WITH(other->receive(20ms), Contains("no answer within the deadline"));
  const std::atomic<bool> flag{true};
  CHECK_THROWS_AS(other->receive({10s, &flag}), Interrupted);
  other->send("over", 60s);
}

TEST_CASE("a peer's commands and addresses travel over MPI") {
  auto other = ranks->with(1 - ranks->rank());
  MemoryNic nic;
  if (ranks->rank() == 1) {
    LocalPeer local{nic};
    serve_peer(*other, local, 30s);
    return;
  }
  RemotePeer peer{*other, 30s};
  LinkSpec spec;
  spec.qps = 600;  // more than one message holds
  spec.region_bytes = payload_start + 4096;
  std::vector<Address> ours(spec.qps);
  const auto theirs = peer.open(spec, ours);
  REQUIRE(theirs.size() == spec.qps);
  for (const auto& address : theirs) REQUIRE(address.region_bytes == spec.region_bytes);
  peer.clear();
  CHECK(peer.check(7, {4, 8, 8}).has_value());
  spec.region_bytes = 0;
  CHECK_THROWS_WITH(peer.open(spec, ours), Contains("region_bytes"));
  peer.close();
  peer.finish();
}

int main(int argc, char** argv) {
  if (ranks_started() != 2) {
    std::cerr << "run me with mpirun -n 2\n";
    return 1;
  }
  const auto joined = join_ranks();
  ranks = joined.get();
  return Catch::Session().run(argc, argv);
}
