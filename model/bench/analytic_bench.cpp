/// Cost of an analytic forecast on the calibrated P-IB: layouts per second on one core, with and
/// without intervals.
#include <benchmark/benchmark.h>

#include "model/analytic/analytic.hpp"
#include "model/testing.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"

namespace {

using namespace qpcast;

std::vector<Layout> layouts() {
  std::mt19937_64 generator{3};
  std::vector<Layout> out;
  for (int i = 0; i < 1024; ++i) out.push_back(testing::random_layout(generator));
  return out;
}

const Platform& calibrated() {
  static const auto platform = io::read_platform(io::data_path("data/platforms/P-IB.json"));
  return platform;
}

void predict(benchmark::State& state) {
  AnalyticSolver solver{calibrated()};
  const auto all = layouts();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(solver.predict(all[i++ % all.size()], nullptr));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(predict)->Name("predict with intervals, layouts");

void point(benchmark::State& state) {
  AnalyticSolver solver{calibrated()};
  const auto all = layouts();
  std::size_t i = 0;
  for (auto _ : state) {
    const Question q{Metric::rate, Statistic::value, {all[i++ % all.size()], nullptr}, {}};
    benchmark::DoNotOptimize(solver.point(q));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(point)->Name("rate alone, layouts");

}  // namespace

BENCHMARK_MAIN();
