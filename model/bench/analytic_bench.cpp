/// Cost of an analytic forecast: layouts per second on one core, with and without intervals.
#include <benchmark/benchmark.h>

#include "model/analytic/analytic.hpp"
#include "model/testing.hpp"

namespace {

using namespace qpcast;

std::vector<Layout> layouts() {
  std::mt19937_64 generator{3};
  std::vector<Layout> out;
  for (int i = 0; i < 1024; ++i) out.push_back(testing::random_layout(generator));
  return out;
}

void predict(benchmark::State& state) {
  AnalyticSolver solver{testing::prior_platform()};
  const auto all = layouts();
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(solver.predict(all[i++ % all.size()], nullptr));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(predict)->Name("predict with intervals, layouts");

void point(benchmark::State& state) {
  AnalyticSolver solver{testing::prior_platform()};
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
