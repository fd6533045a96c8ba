#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

/// Strategies by which GPU threads share a queue pair; a CPU submitter has none to compare.
void publication(const Scope& scope, Plan& plan) {
  constexpr auto name = "publication";
  if (!scope.no_gpu.empty()) return plan.skip(name, scope.no_gpu);
  const std::vector<int> threads =
      scope.full ? std::vector{32, 64, 128, 256, 512} : std::vector{32, 256};
  const auto add = [&](const char* strategy, int count, int batch, const char* ordering) {
    plan.add(name,
             fmt::format("submitter=gpu;threads={};qps=1;sms=1;batch={};payload=8;inline=1;"
                         "ordering={};publication={}",
                         count, batch, ordering, strategy),
             Method::rate);
  };
  for (const int count : threads) {
    for (const auto* strategy : {"lock-per-wqe", "warp-synchronised", "warp-drifting"})
      add(strategy, count, 1, "gpu");
    add("warp-cooperative", count, 32, "gpu");
    if (count <= 64) add("thread-handoff", count, 1, "gpu");
  }
  add("warp-cooperative", 256, 256, "gpu");
  if (!scope.full) return;
  for (const auto* ordering : {"none", "release", "system"})
    for (const auto* strategy : {"lock-per-wqe", "warp-synchronised", "warp-drifting"})
      add(strategy, 32, 1, ordering);
  for (const auto* ordering : {"none", "release", "system"})
    add("warp-cooperative", 256, 32, ordering);
  for (const int batch : {64, 128}) add("warp-cooperative", 256, batch, "gpu");
}

}  // namespace qpcast::hw::experiments
