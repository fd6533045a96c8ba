/// Cost of searching a space of over 10 million layouts of a library's settings on the calibrated
/// P-IB: best layout, then the nearest ones to the default at four thresholds, as `advise` asks.
/// The last one evaluates every layout of a space that it can, for what pruning saves.
#include <benchmark/benchmark.h>

#include "model/advise/search.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"

namespace {

using namespace qpcast;
using namespace qpcast::advise;

const Presets& presets() {
  static const auto all = io::read_presets(io::data_path("scenarios/libraries"));
  return all;
}

void search(benchmark::State& state, const char* library, Request request, bool exhaustive) {
  static const auto platform = io::read_platform(io::data_path("data/platforms/P-IB.json"));
  const auto& preset = presets().at(library);
  const Space space{request, preset, platform.facts};
  SearchOptions options;
  options.exhaustive = exhaustive;
  SearchCount count;
  for (auto _ : state) {
    Forecaster forecaster{platform, preset};
    Search search{space, forecaster, options};
    const auto best = search.best();
    for (const double part : {0.99, 0.9, 0.75, 0.5})
      benchmark::DoNotOptimize(search.nearest(part * best->score));
    count = search.count();
  }
  state.counters["layouts"] = static_cast<double>(space.size());
  state.counters["evaluated"] = static_cast<double>(count.evaluated);
  state.counters["boxes"] = static_cast<double>(count.bounded);
  state.counters["complete"] = count.complete;
}

Request request(Goal goal, double threads, double sms, double payload) {
  Request r;
  r.goal = goal;
  r.fixed.set(Key::payload, payload);
  r.threads = threads;
  r.sms = sms;
  return r;
}

Request bounded_latency() {
  auto r = request(Goal::rate, 1024, 132, 8);
  r.pes = 8;
  r.constraints.queue_pairs = 200;
  r.constraints.max_latency = 25;
  return r;
}

BENCHMARK_CAPTURE(search, rate, "nvshmem-ibgda", request(Goal::rate, 1024, 132, 8), false)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(search, goodput, "nvshmem-ibgda", request(Goal::goodput, 1024, 132, 1024), false)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(search, constrained, "nvshmem-ibgda", bounded_latency(), false)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(search, contexts, "gin-gdaki", request(Goal::rate, 512, 132, 8), false)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(search, small_pruned, "nvshmem-ibgda", request(Goal::rate, 64, 8, 8), false)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(search, small_exhaustive, "nvshmem-ibgda", request(Goal::rate, 64, 8, 8), true)
    ->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
