#include "hw/proxy/ring.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::hw;

TEST_CASE("a descriptor carries every field to its limits") {
  for (const Request request :
       {Request{}, Request{0xffffffff, 0xffffffff, largest_request, 0xffff, RequestKind::fetch_add},
        Request{8, 4096, 65536, 7, RequestKind::write}}) {
    const auto descriptor = encode(request, 255);
    CHECK(valid(descriptor, 255));
    CHECK_FALSE(valid(descriptor, 254));
    CHECK(decode(descriptor) == request);
  }
}

TEST_CASE("half a descriptor is not valid, nor is zeroed or last lap's memory") {
  CHECK_FALSE(valid({}, lap_of(0, 4)));
  const auto whole = encode({1, 2, 3, 4, RequestKind::write}, 9);
  CHECK_FALSE(valid({whole.first, 0}, 9));
  CHECK_FALSE(valid({0, whole.second}, 9));
  CHECK(lap_of(3, 4) == 1);
  CHECK(lap_of(4, 4) == 2);
  for (std::uint64_t index = 0; index < 4096; ++index) {
    CHECK(lap_of(index, 4) != 0);
    CHECK(lap_of(index, 4) != lap_of(index + 4, 4));
  }
}

TEST_CASE("a ring's size is checked") {
  for (const std::uint64_t wrong : {0, 1, 3, 1000, 1 << 21})
    CHECK_THROWS_AS(Ring{wrong}, InputError);
}

TEMPLATE_TEST_CASE("a full ring refuses, and takes again once the worker has taken", "",
                   TunedProducer, BaselineProducer) {
  Ring ring{8};
  TestType producer{ring.view()};
  Consumer consumer{ring.view()};
  std::array<Request, 3> taken;
  for (std::uint32_t i = 0; i < 8; ++i) REQUIRE(producer.try_push({i, 0, 8, 0}));
  CHECK_FALSE(producer.try_push({8, 0, 8, 0}));
  CHECK(consumer.waiting());
  REQUIRE(consumer.pop(taken) == 3);
  CHECK(taken[2].local == 2);
  for (std::uint32_t i = 8; i < 11; ++i) CHECK(producer.try_push({i, 0, 8, 0}));
  CHECK_FALSE(producer.try_push({11, 0, 8, 0}));
  consumer.complete(3);
  CHECK(completed(ring.view()) == 3);
}

namespace {

/// Takes `total` requests; true when each producer's arrive in its order, none lost or doubled.
bool drains_in_order(Consumer& consumer, std::uint32_t producers, std::uint32_t total) {
  std::vector<std::uint32_t> next(producers, 0);
  std::array<Request, 16> taken;
  bool right = true;
  for (std::uint32_t got = 0; got < total;) {
    const auto count = consumer.pop(taken);
    for (std::size_t i = 0; i < count; ++i)
      right &= taken[i].local == next[taken[i].tag]++ && taken[i].remote == ~taken[i].local;
    got += static_cast<std::uint32_t>(count);
    if (count == 0) std::this_thread::yield();
  }
  return right && !consumer.waiting();
}

template <class Producer>
void produce(RingView ring, std::uint16_t who, std::uint32_t count) {
  Producer producer{ring};
  for (std::uint32_t i = 0; i < count;)
    if (producer.try_push({i, ~i, 8, who}))
      ++i;
    else
      std::this_thread::yield();
}

}  // namespace

TEST_CASE("tuned: 300 laps across threads, nothing lost") {
  Ring ring{64};
  Consumer consumer{ring.view()};
  std::jthread producer{[&] { produce<TunedProducer>(ring.view(), 0, 64 * 300); }};
  CHECK(drains_in_order(consumer, 1, 64 * 300));
}

TEST_CASE("baseline: three producers share a ring, nothing lost") {
  Ring ring{32};
  Consumer consumer{ring.view()};
  std::vector<std::jthread> producers;
  for (std::uint16_t who = 0; who < 3; ++who)
    producers.emplace_back([&, who] { produce<BaselineProducer>(ring.view(), who, 5000); });
  CHECK(drains_in_order(consumer, 3, 15000));
}
