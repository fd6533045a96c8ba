#include "hw/proxy/proxy.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>

#include "hw/affinity.hpp"
#include "hw/proxy/memory_channel.hpp"
#include "hw/quiet_places.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t slot = 8;
constexpr std::uint32_t slots = 4096;

/// Memory on both sides and a channel per queue pair.
struct Bench {
  explicit Bench(std::size_t qps, std::uint32_t depth = 64)
      : source(slot * slots), target(slot * slots) {
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 37 + 11);
    for (std::size_t q = 0; q < qps; ++q)
      channels.push_back(std::make_unique<MemoryChannel>(source, target, depth));
    for (auto& channel : channels) pointers.push_back(channel.get());
  }
  std::vector<std::byte> source, target;
  std::vector<std::unique_ptr<MemoryChannel>> channels;
  std::vector<Channel*> pointers;
};

ProxyOptions options(std::uint32_t workers, std::uint32_t rings, std::uint32_t batch) {
  ProxyOptions options;
  options.workers = workers;
  options.rings = rings;
  options.ring_capacity = 16;
  options.worker.batch = batch;
  options.worker.depth = 64;
  return options;
}

Request write_slot(std::uint32_t i) { return {i * slot, i * slot, slot, 0, RequestKind::write}; }

}  // namespace

TEST_CASE("every payload byte arrives and every completion is counted, whatever T, R, Q and B") {
  const auto [workers, rings, qps, batch] =
      GENERATE(table<std::uint32_t, std::uint32_t, std::size_t, std::uint32_t>(
          {{1, 1, 1, 1}, {1, 4, 1, 16}, {2, 4, 2, 4}, {2, 8, 4, 16}, {1, 4, 4, 7}}));
  Bench bench{qps};
  Proxy proxy{bench.pointers, options(workers, rings, batch)};
  std::vector<std::jthread> producers;
  for (std::uint32_t r = 0; r < rings; ++r)
    producers.emplace_back([&, r, n = rings] {
      TunedProducer producer{proxy.ring(r)};
      for (std::uint32_t i = r; i < slots; i += n) proxy.push(producer, r, write_slot(i));
      proxy.wait(r, slots / n);
    });
  producers.clear();
  CHECK(bench.target == bench.source);
  for (std::uint32_t r = 0; r < rings; ++r) CHECK(completed(proxy.ring(r)) == slots / rings);
}

TEST_CASE("a backlog is chained up to the batch, and no further") {
  Bench bench{1};
  bench.channels[0]->stall = true;
  Proxy proxy{bench.pointers, options(1, 1, 4)};
  TunedProducer producer{proxy.ring(0)};
  for (std::uint32_t i = 0; i < 16; ++i) proxy.push(producer, 0, write_slot(i));
  bench.channels[0]->stall = false;
  proxy.wait(0, 16);
  CHECK(bench.channels[0]->longest_chain == 4);
  CHECK(bench.channels[0]->posts <= 8);
}

TEST_CASE("a failing queue pair reaches the waiting producer") {
  Bench bench{1};
  bench.channels[0]->fail_posts = true;
  Proxy proxy{bench.pointers, options(1, 1, 1)};
  TunedProducer producer{proxy.ring(0)};
  proxy.push(producer, 0, write_slot(0));
  CHECK_THROWS_WITH(proxy.wait(0, 1), Catch::Contains("queue pair in error"));
}

TEST_CASE("a write outside the region is reported") {
  Bench bench{1};
  Proxy proxy{bench.pointers, options(1, 1, 1)};
  TunedProducer producer{proxy.ring(0)};
  proxy.push(producer, 0, {0, slot * slots, slot, 0, RequestKind::write});
  CHECK_THROWS_WITH(proxy.wait(0, 1), Catch::Contains("left its region"));
}

TEST_CASE("no hang: a silent NIC, a stalled worker, a full ring, an interrupt") {
  Bench bench{1};
  std::atomic<bool> interrupted{false};
  auto impatient = options(1, 1, 1);
  impatient.patience = 50ms;
  impatient.interrupted = &interrupted;
  SECTION("silent NIC") {
    bench.channels[0]->silent = true;
    Proxy proxy{bench.pointers, impatient};
    TunedProducer producer{proxy.ring(0)};
    proxy.push(producer, 0, write_slot(0));
    CHECK_THROWS_WITH(proxy.wait(0, 1), Catch::Contains("1 requests are outstanding"));
  }
  SECTION("stalled worker") {
    bench.channels[0]->stall = true;
    Proxy proxy{bench.pointers, impatient};
    TunedProducer producer{proxy.ring(0)};
    proxy.push(producer, 0, write_slot(0));
    CHECK_THROWS_WITH(proxy.wait(0, 1), Catch::Contains("worker 0") && Catch::Contains("stalled"));
    bench.channels[0]->stall = false;
  }
  SECTION("full ring") {
    bench.channels[0]->silent = true;
    Proxy proxy{bench.pointers, impatient};
    TunedProducer producer{proxy.ring(0)};
    const auto flood = [&] {
      for (std::uint32_t i = 0; i < 1000; ++i) proxy.push(producer, 0, write_slot(i));
    };
    CHECK_THROWS_WITH(flood(), Catch::Contains("space of ring 0"));
  }
  SECTION("interrupt") {
    bench.channels[0]->silent = true;
    Proxy proxy{bench.pointers, impatient};
    TunedProducer producer{proxy.ring(0)};
    proxy.push(producer, 0, write_slot(0));
    interrupted = true;
    CHECK_THROWS_AS(proxy.wait(0, 1), Interrupted);
  }
}

TEST_CASE("shapes that cannot work are refused with the reason") {
  Bench bench{2};
  CHECK_THROWS_WITH((Proxy{bench.pointers, options(3, 4, 1)}), Catch::Contains("queue pair each"));
  CHECK_THROWS_WITH((Proxy{bench.pointers, options(1, 1, 1)}), Catch::Contains("idle"));
  CHECK_THROWS_WITH((Proxy{bench.pointers, options(1, 2, 65)}), Catch::Contains("depth of 64"));
}

TEST_CASE("a thread that was pinned for a while runs where it did before") {
  const auto before = allowed_cpus();
  REQUIRE_FALSE(before.empty());
  {
    const PinnedScope pinned{before.back()};
    CHECK(allowed_cpus() == std::vector{before.back()});
  }
  CHECK(allowed_cpus() == before);
  const PinnedScope nowhere{-1};
  CHECK(allowed_cpus() == before);
}

TEST_CASE("beside a software NIC each thread has a processor of its own, or none has") {
  const auto few = places_beside_a_software_nic({0, 1, 2});
  CHECK(few.nic == -1);
  CHECK(few.producer == -1);
  CHECK(few.workers.empty());
  const auto many = places_beside_a_software_nic({2, 3, 5, 7, 8});
  CHECK(many.nic == 8);
  CHECK(many.producer == 2);
  CHECK(many.workers == std::vector{3, 5, 7});
}

TEST_CASE("beside an adapter the producer has a processor for itself") {
  CHECK(places_beside_an_adapter({3}).producer == -1);
  CHECK(places_beside_an_adapter({}).workers.empty());
  const auto two = places_beside_an_adapter({3, 5});
  CHECK(two.producer == 5);
  CHECK(two.workers == std::vector{3});
  CHECK(two.nic == -1);
}

TEST_CASE("a processor that somebody shares is left for one that nobody does") {
  std::map<int, double> mhz{{0, 2900}, {1, 2900}, {2, 2700}, {3, 2900}, {4, 1500}, {5, 2900}};
  QuietPlaces places{{0, 1, 2, 3, 4, 5}, [&](int cpu) { return mhz.at(cpu); }};
  const auto chosen = places.choose();
  CHECK(chosen.nic == 0);
  CHECK(chosen.producer == 1);
  CHECK(chosen.workers == std::vector{2, 3, 5, 4});
  CHECK(places.held());
  mhz[3] = 1400;  // nobody's yet
  CHECK(places.choose().producer == 1);
  mhz[1] = 1450;
  CHECK_FALSE(places.held());
  CHECK(places.choose().producer == 2);
  CHECK(places.choose().workers == std::vector{5, 4, 1, 3});
  for (auto& [cpu, now] : mhz) now = 1000 + cpu;  // everybody's: the quickest of what there is
  CHECK_FALSE(places.held());
  CHECK(places.choose().nic == 5);
}

TEST_CASE("too few processors to choose from are left to the scheduler") {
  QuietPlaces places{{0, 1}, [](int) -> double { throw std::logic_error{"nobody looks"}; }};
  CHECK(places.choose().nic == -1);
  CHECK(places.held());
}

TEST_CASE("the kernel's processor lists") {
  CHECK(parse_cpu_list("0-2,5") == std::vector{0, 1, 2, 5});
  CHECK(parse_cpu_list("").empty());
  for (const auto* wrong : {"a", "0-", "-3", "1,,2", "99999"})
    CHECK_THROWS_AS(parse_cpu_list(wrong), InputError);
  CHECK(cpus_of_node(-1).empty());
}
