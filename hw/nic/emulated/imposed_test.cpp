#include "hw/nic/emulated/imposed.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "hw/nic/emulated/context_cache.hpp"
#include "hw/nic/emulated/pacer.hpp"

using namespace qpcast::hw::emulated;

TEST_CASE("while something waits the imposed rate is exact, however late the engine's thread is") {
  const double rate = GENERATE(0.01, 1.0, 37.5);
  Pacer pacer{rate};
  std::mt19937 random{3};
  std::exponential_distribution<double> pause{1.0};
  double now = 1000;
  pacer.took(now, 1, 0);
  const double start = now;
  double served = 1;
  for (int look = 0; look < 20000; ++look) {
    pacer.seen(now, 1U << 30);
    now += pause(random) * (look % 1000 == 0 ? 4000 : 0.2);  // sometimes off the processor for ms
    const auto allowed = pacer.allowance(now, 1U << 30);
    if (allowed > 0) pacer.took(now, allowed, 0);
    served += allowed;
  }
  // The first is taken at once, then one every 1/rate.
  CHECK(served == Approx(1 + std::floor((now - start) * rate)).margin(1));
}

TEST_CASE("the imposed rate is never exceeded, whenever messages come and the thread looks") {
  const double rate = 2;
  std::mt19937 random{5};
  std::exponential_distribution<double> pause{1.0};
  for (int trial = 0; trial < 200; ++trial) {
    Pacer pacer{rate};
    double now = 1000 + pause(random), first = -1;
    std::uint32_t waiting = 0, served = 0;
    for (int look = 0; look < 300; ++look) {
      now += pause(random) * (look % 50 == 0 ? 100 : 1);
      if (random() % 4 == 0) waiting += static_cast<std::uint32_t>(random() % 64);  // since then
      const auto taken = std::min(waiting, pacer.allowance(now, 32));
      if (taken > 0) {
        if (first < 0) first = now;
        pacer.took(now, taken, 0);
        waiting -= taken;
        served += taken;
        REQUIRE(served <= 1 + (now - first) * rate + 1e-6);
      }
      if (random() % 4 == 0) waiting += static_cast<std::uint32_t>(random() % 8);
      if (waiting > 0 && first < 0) first = now;
      pacer.seen(now, waiting);
    }
    CHECK(served > 100);
  }
}

TEST_CASE("time without work is not saved up") {
  Pacer pacer{2.0};
  CHECK(pacer.allowance(1e6, 100) == 1);
  pacer.took(1e6, 1, 0);
  CHECK(pacer.allowance(1e6 + 0.4, 100) == 0);
  CHECK(pacer.allowance(1e6 + 0.5, 100) == 1);
  CHECK(pacer.allowance(1e6 + 1000, 100) == 1);
  pacer.seen(1e6 + 1000, 7);
  CHECK(pacer.allowance(1e6 + 1000, 100) == 1);
  CHECK(pacer.allowance(1e6 + 1001, 100) == 3);
  CHECK(pacer.allowance(1e6 + 2000, 100) == 7);
}

TEST_CASE("a context that is fetched delays what comes after it") {
  Pacer pacer{1.0};
  pacer.took(10, 1, 5);
  CHECK(pacer.allowance(15.9, 100) == 0);
  CHECK(pacer.allowance(16, 100) == 1);
  Pacer unlimited{0};
  unlimited.took(1, 32, 5);
  CHECK(unlimited.allowance(5.9, 32) == 0);
  CHECK(unlimited.allowance(6, 32) == 32);
}

namespace {

/// Share of hits when `queues` are visited in turn.
double hits_in_turn(ContextCache& cache, std::uint32_t queues) {
  constexpr std::uint32_t rounds = 400;
  for (std::uint32_t i = 0; i < 20 * queues; ++i) cache.touch(i % queues);
  double hits = 0;
  for (std::uint32_t i = 0; i < rounds * queues; ++i) hits += cache.touch(i % queues) ? 1 : 0;
  return hits / (rounds * queues);
}

}  // namespace

TEST_CASE("lru holds what fits, and nothing when one more goes round") {
  ContextCache cache{64, Replacement::lru};
  CHECK(hits_in_turn(cache, 64) == 1);
  ContextCache smaller{63, Replacement::lru};
  CHECK(hits_in_turn(smaller, 64) == 0);
}

TEST_CASE("random replacement loses by degrees") {
  ContextCache fits{64, Replacement::random};
  CHECK(hits_in_turn(fits, 64) == 1);
  // Visited in turn, a context survives the M misses of a round with (1 - 1/C)^M, where M is the
  // misses among the other N - 1. Its fixed point for C = 64, N = 96: hits 0.402.
  const double capacity = 64, queues = 96;
  double hits = 0.5;
  for (int i = 0; i < 200; ++i) hits = std::pow(1 - 1 / capacity, (queues - 1) * (1 - hits));
  ContextCache cache{64, Replacement::random};
  CHECK(hits_in_turn(cache, 96) == Approx(hits).margin(0.02));
}

TEST_CASE("what is imposed is read, described, and refused with what would be right") {
  const auto imposed = parse_imposed(
      "mode=sink;rate=2.5;contexts=64;miss=0.4;replacement=random;fault=peer-dead;after=1000");
  CHECK(imposed.mode == Mode::sink);
  CHECK(imposed.rate == 2.5);
  CHECK(imposed.contexts == 64);
  CHECK(imposed.miss_us == 0.4);
  CHECK(imposed.replacement == Replacement::random);
  CHECK(imposed.fault == Fault::peer_dead);
  CHECK(imposed.fault_after == 1000);
  CHECK(describe(imposed) ==
        "mode=sink;rate=2.5;contexts=64;miss=0.4;replacement=random;fault=peer-dead;after=1000");
  CHECK(describe(parse_imposed("")).empty());
  CHECK_THROWS_WITH(parse_imposed("mode=slow"), Catch::Contains("execute, sink"));
  CHECK_THROWS_WITH(parse_imposed("rate=-1"), Catch::Contains("not a number"));
  CHECK_THROWS_WITH(parse_imposed("rate=nan"), Catch::Contains("not a number"));
  CHECK_THROWS_WITH(parse_imposed("speed=1"), Catch::Contains("replacement, fault"));
  CHECK_THROWS_WITH(parse_imposed("rate"), Catch::Contains("key=value"));
}
