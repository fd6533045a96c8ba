/// Simulated messages per second on one core, beside what plain SimGrid does with one actor
/// operation per message, in the same run.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <simgrid/s4u.hpp>

#include "model/simgrid/simgrid_solver.hpp"
#include "model/testing.hpp"

namespace {

using namespace qpcast;

void simulate(benchmark::State& state) {
  const auto batch = static_cast<double>(state.range(0));
  Layout layout = parse_layout("submitter=gpu;threads=16;qps=16;sms=16", "bench");
  layout.set(Key::batch, batch);
  SimgridSolver solver{testing::prior_platform()};
  SimulationOptions options;
  options.messages = 2e5 * batch;
  options.half_width = 1e-9;  // the budget ends it
  for (auto _ : state) benchmark::DoNotOptimize(solver.predict(layout, nullptr, options));
  state.SetItemsProcessed(
      static_cast<std::int64_t>(static_cast<double>(state.iterations()) * options.messages));
}
BENCHMARK(simulate)->Name("16 queue pairs, messages; batch")->Arg(1)->Arg(32)->UseRealTime();

/// 16 actors that sleep once per message. One engine per process, so each run is a child.
void plain(benchmark::State& state) {
  constexpr int actors = 16, messages = 20000;
  for (auto _ : state) {
    if (const pid_t child = ::fork(); child == 0) {
      std::array<char, 2> name{"b"};
      std::array<char*, 2> argv{name.data(), nullptr};
      int argc = 1;
      ::simgrid::s4u::Engine engine{&argc, argv.data()};
      auto* zone = ::simgrid::s4u::create_full_zone("node");
      auto* host = zone->create_host("pe0", 1e9);
      zone->seal();
      for (int a = 0; a < actors; ++a)
        ::simgrid::s4u::Actor::create("thread", host, [a] {
          for (int m = 0; m < messages / actors; ++m)
            ::simgrid::s4u::this_actor::sleep_for(1e-6 * (1 + a % 7));
        });
      engine.run();
      ::_exit(0);
    } else {
      ::waitpid(child, nullptr, 0);
    }
  }
  state.SetItemsProcessed(state.iterations() * messages);
}
BENCHMARK(plain)->Name("plain SimGrid, one actor operation per message, messages")->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
