#include <fmt/format.h>

#include "hw/experiments/experiments.hpp"

namespace qpcast::hw::experiments {

namespace {

/// A thread and an SM for each queue pair, and one thread over several.
void gpu_queues(const Scope& scope, Plan& plan) {
  const auto add = [&](int threads, int qps, int sms, int batch) {
    plan.add("queues",
             fmt::format("submitter=gpu;threads={};qps={};sms={};batch={};payload=8;inline=1;"
                         "ordering=gpu;publication=exclusive",
                         threads, qps, sms, batch),
             Method::rate);
  };
  const std::vector<int> counts =
      scope.full ? std::vector{1, 2, 4, 8, 16, 32, 64, 128} : std::vector{4, 16, 64};
  for (const int qps : counts)
    for (const int batch : {1, 16}) add(qps, qps, qps, batch);
  for (const int qps : {2, 8, 32}) add(1, qps, 1, 1);
  if (scope.full) add(528, 528, 132, 16);
}

}  // namespace

/// Message rate over the number of queue pairs that one thread fills.
void queues(const Scope& scope, Plan& plan) {
  if (scope.no_gpu.empty()) gpu_queues(scope, plan);
  const std::vector<int> counts =
      scope.full ? std::vector{1, 2, 4, 8, 16, 32} : std::vector{1, 4, 16};
  for (const int qps : counts)
    for (const int batch : {1, 16}) {
      if (!scope.full && batch == 1) continue;
      plan.add(
          "queues",
          fmt::format("submitter=host;qps={};batch={};payload=8;window={}", qps, batch, 64 * qps),
          Method::rate);
    }
}

}  // namespace qpcast::hw::experiments
