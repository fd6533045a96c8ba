#include "model/mechanisms/completion.hpp"

#include "model/mechanisms/clock.hpp"

namespace qpcast::completion {

namespace {

/// Queue pairs that the scope visits.
double visits(const Setup& setup) {
  switch (setup.completion) {
    case Completion::per_qp:
      return 1;
    case Completion::per_peer:
      return setup.qps;
    case Completion::all_qp:
      return setup.configured_qps + setup.dci_pool;
  }
  return 1;
}

}  // namespace

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!setup.gpu_builds()) return;
  const auto fixed = Duration::us(setup.cost(values, Cost::complete));
  const auto visit = Duration::us(setup.cost(values, Cost::visit)) * visits(setup);
  pipeline.path("poll completion", Phase::complete, clock::gpu_time(fixed, setup, values));
  pipeline.path("visit queue pairs", Phase::complete, clock::gpu_time(visit, setup, values));
}

}  // namespace qpcast::completion
