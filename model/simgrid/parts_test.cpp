/// The simulation's parts: generator, agenda, cache, histogram, meter.
#include <catch2/catch.hpp>

#include "model/simgrid/agenda.hpp"
#include "model/simgrid/context_cache.hpp"
#include "model/simgrid/histogram.hpp"
#include "model/simgrid/meter.hpp"
#include "model/simgrid/outstanding.hpp"
#include "model/simgrid/room.hpp"

using namespace qpcast::simgrid;

TEST_CASE("a seed decides the bits, and the transforms have their means") {
  Random a{5}, b{5}, c{6};
  CHECK(a.bits() == b.bits());
  CHECK(a.bits() != c.bits());
  double sum = 0, largest = 0;
  constexpr int n = 200'000;
  for (int i = 0; i < n; ++i) {
    sum += a.exponential();
    largest += a.largest_exponential(4);
  }
  CHECK(sum / n == Approx(1).epsilon(0.02));
  CHECK(largest / n == Approx(1 + 1. / 2 + 1. / 3 + 1. / 4).epsilon(0.02));
}

TEST_CASE("events come by time, and equal times in the order of scheduling") {
  Agenda agenda;
  Random random{1};
  for (std::uint32_t i = 0; i < 1000; ++i)
    agenda.at(static_cast<double>(random.below(50)), EventKind::built, i);
  auto last = agenda.take();
  while (!agenda.empty()) {
    const auto next = agenda.take();
    CHECK((last.time < next.time || (last.time == next.time && last.index < next.index)));
    last = next;
  }
}

TEST_CASE("cyclic visits beyond an LRU cache always miss; random ones hit by its share") {
  Random random{2};
  ContextCache lru{100, 101, Replacement::lru};
  for (std::uint32_t i = 0; i < 1010; ++i) CHECK_FALSE(lru.visit(i % 101, random));
  ContextCache fits{100, 100, Replacement::lru};
  for (std::uint32_t i = 0; i < 1000; ++i) fits.visit(i % 100, random);
  CHECK(fits.misses() == 100);
  ContextCache uniform{100, 400, Replacement::random};
  for (int i = 0; i < 100'000; ++i) uniform.visit(random.below(400), random);
  CHECK(static_cast<double>(uniform.hits()) / 100'000 == Approx(0.25).epsilon(0.05));
}

TEST_CASE("a filled cache has its steady share of hits from the first visits on") {
  const auto replacement = GENERATE(Replacement::random, Replacement::lru);
  Random random{3};
  ContextCache cache{20'000, 25'000, replacement};
  cache.fill();
  CHECK(cache.hits() + cache.misses() == 0);
  constexpr int visits = 2000;  // a tenth of what would fill it
  for (int i = 0; i < visits; ++i) cache.visit(random.below(25'000), random);
  CHECK(static_cast<double>(cache.hits()) / visits == Approx(0.8).epsilon(0.05));
}

TEST_CASE("quantiles within a bucket's width") {
  Histogram h;
  for (int i = 1; i <= 10'000; ++i) h.add(i * 0.01);
  CHECK(h.mean() == Approx(50.005));
  CHECK(h.quantile(0.5) == Approx(50).epsilon(0.011));
  CHECK(h.quantile(0.999) == Approx(99.9).epsilon(0.011));
}

TEST_CASE("the batch-means interval covers the truth about as often as it says") {
  int covered = 0;
  constexpr int runs = 200;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Random random{seed};
    Meter meter{100, 100};
    double now = 0;
    while (meter.batches() < 20) meter.depart(now += 2 * random.exponential(), 1);
    covered += std::abs(meter.rate() / 0.5 - 1) <= meter.half_width() ? 1 : 0;
  }
  CHECK(covered > runs * 0.90);
  CHECK(covered < runs);
}

TEST_CASE("a stream waits for its oldest batch once its credit is out") {
  Outstanding o{64, 32};
  CHECK(o.admit(0) == 0);
  o.add(5);
  CHECK(o.admit(1) == 1);
  o.add(4);  // in order: noticed with the first
  CHECK(o.admit(2) == 5);
  o.add(9);
  CHECK(o.admit(6) == 6);
  CHECK(Outstanding{16, 32}.blocked_for_ever());
}

TEST_CASE("a rate that still moves is not called sure") {
  Random random{11};
  const auto width = [&](double drift) {
    Meter meter{0, 1000};
    double now = 0;
    for (int i = 0; i < 40'000; ++i)
      meter.depart(now += 1 + drift * i + 0.01 * random.uniform(), 1);
    return meter.half_width();
  };
  CHECK(width(0) < 0.001);
  // From 1 to 1.4 over the run: the halves lie 0.2 apart.
  CHECK(width(1e-5) == Approx(0.2 / 1.2).epsilon(0.05));
}

TEST_CASE("slots go out in the order of requests, and no more than there are") {
  Room room{1, 8};
  CHECK(room.take(0, 1, 5));
  CHECK_FALSE(room.take(0, 2, 4));
  CHECK_FALSE(room.take(0, 3, 1));  // would fit, but came later
  CHECK_FALSE(room.next(0));
  room.give(0, 5);
  CHECK(room.next(0) == 2U);
  CHECK(room.next(0) == 3U);
  CHECK_FALSE(room.next(0));
  room.give(0, 100);
  CHECK(room.take(0, 4, 100));  // all that there are
}
