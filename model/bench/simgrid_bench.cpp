/// Cost of the discrete-event solver on one core: simulated messages per second, beside plain
/// SimGrid with one actor operation per message, and cost against queues and against PEs.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <simgrid/s4u.hpp>

#include "model/simgrid/process.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "model/simgrid/workload_solver.hpp"
#include "model/testing.hpp"

namespace {

using namespace qpcast;

SimulationOptions budget(std::uint64_t messages) {
  SimulationOptions o;
  o.messages = messages;
  o.half_width = 0;  // spend it
  return o;
}

void simulate(benchmark::State& state, const char* layout, std::uint64_t messages) {
  SimgridSolver solver{testing::prior_platform(), budget(messages)};
  const auto parsed = parse_layout(layout, "benchmark");
  for (auto _ : state) {
    const auto r = solver.simulate({parsed, nullptr}, qpcast::simgrid::Scenario::traffic);
    state.counters["events/message"] =
        static_cast<double>(r.events) / static_cast<double>(r.messages);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(messages));
}
BENCHMARK_CAPTURE(simulate, 16 queue pairs batch 32,
                  "submitter=gpu;threads=4096;qps=16;sms=16;batch=32", 20'000'000)
    ->UseRealTime();
BENCHMARK_CAPTURE(simulate, 16 queue pairs batch 1,
                  "submitter=gpu;threads=16;qps=16;sms=16;batch=1", 2'000'000)
    ->UseRealTime();
BENCHMARK_CAPTURE(simulate, 16 queue pairs handed on lane by lane,
                  "submitter=gpu;threads=512;qps=16;sms=16;batch=16;publication=warp-drifting",
                  1'000'000)
    ->UseRealTime();
BENCHMARK_CAPTURE(simulate, proxy batch 1, "submitter=proxy;threads=1024;workers=4;rings=32",
                  1'000'000)
    ->UseRealTime();

/// The same 16 streams as actors of SimGrid that sleep once per message.
void plain(benchmark::State& state) {
  constexpr int streams = 16, each = 10'000;
  for (auto _ : state) {
    qpcast::simgrid::run_in_process([&] {
      std::string name = "benchmark", quiet = "--log=root.thres:critical";
      std::array<char*, 3> words{name.data(), quiet.data(), nullptr};
      int count = 2;
      ::simgrid::s4u::Engine engine{&count, words.data()};
      auto* zone = ::simgrid::s4u::create_full_zone("pe");
      auto* host = zone->create_host("nic", 1.0)->seal();
      zone->seal();
      for (int s = 0; s < streams; ++s)
        ::simgrid::s4u::Actor::create("stream", host, [s] {
          for (int i = 0; i < each; ++i) ::simgrid::s4u::this_actor::sleep_for(0.5 + 0.001 * s);
        });
      engine.run();
      return qpcast::simgrid::SimulationResult{};
    });
  }
  state.SetItemsProcessed(state.iterations() * streams * each);
}
BENCHMARK(plain)->Name("plain SimGrid, one actor operation per message")->UseRealTime();

/// Cost against queues, one thread each.
void queues(benchmark::State& state) {
  SimgridSolver solver{testing::prior_platform(), budget(1'000'000)};
  Layout layout;
  layout.set(Key::submitter, Submitter::gpu);
  layout.set(Key::qps, static_cast<double>(state.range(0)));
  layout.set(Key::threads, static_cast<double>(state.range(0)));
  layout.set(Key::batch, 16);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        solver.simulate({layout, nullptr}, qpcast::simgrid::Scenario::traffic));
  state.SetItemsProcessed(state.iterations() * 1'000'000);
}
BENCHMARK(queues)->RangeMultiplier(8)->Range(8, 4096)->UseRealTime();

/// All-to-all, every queue pair visited once with 32 writes: seconds against PEs, with the largest
/// memory of any simulation so far.
void exchange(benchmark::State& state) {
  WorkloadSpec workload;
  workload.name = "all-to-all";
  workload.local_by_nic = true;
  workload.ranks = static_cast<std::uint32_t>(state.range(0));
  workload.qps = static_cast<std::uint32_t>(state.range(1));
  WorkloadSolver solver{testing::prior_platform(), SimulationOptions{}};
  const auto layout = parse_layout("submitter=gpu;payload=8;batch=32", "benchmark");
  std::uint64_t messages = 0;
  for (auto _ : state) {
    const auto report = solver.predict(workload, Fabric{}, layout, nullptr);
    messages += report.messages;
    state.counters["doorbells"] = static_cast<double>(report.doorbells);
  }
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  state.counters["largest_MiB"] = static_cast<double>(children.ru_maxrss) / 1024;
  state.SetItemsProcessed(static_cast<std::int64_t>(messages));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(exchange)
    ->Name("all-to-all, one queue pair per peer; PEs")
    ->ArgNames({"PEs", "qps"})
    ->ArgsProduct({{8, 16, 32, 64, 128, 256, 512, 1024}, {1}})
    ->Complexity(benchmark::oNSquared)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK(exchange)
    ->Name("all-to-all, 16 queue pairs per peer; PEs")
    ->ArgNames({"PEs", "qps"})
    ->Args({128, 16})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
