#include "model/mechanisms/submission.hpp"

#include "model/mechanisms/clock.hpp"

namespace qpcast::submission {

Duration order_cost(const Setup& setup, const ParameterValues& values) {
  const auto order = order_cost(setup.ordering, values);
  const bool across = setup.ordering == Ordering::release && setup.queue_memory == Memory::host;
  return across ? order + Duration::us(values.get(Param::gpu_host_exchange)) : order;
}

Duration order_cost(Ordering scope, const ParameterValues& values) {
  switch (scope) {
    case Ordering::none:
      return {};
    case Ordering::gpu:
      return Duration::us(values.get(Param::gpu_order_gpu));
    case Ordering::release:
      return Duration::us(values.get(Param::gpu_order_release));
    case Ordering::system:
      return Duration::us(values.get(Param::gpu_order_system));
  }
  return {};
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!setup.gpu_builds()) return;
  const auto order = order_cost(setup, values);
  pipeline.path("order and ring", Phase::issue, clock::gpu_time(order, setup, values));
  if (setup.publication != Publication::exclusive) return;
  const double relative = order / order_cost(Ordering::gpu, values);
  const auto stream = Duration::us(values.get(Param::gpu_order_stream)) * relative;
  pipeline.work(Resource::submitter, {}, clock::gpu_time(stream, setup, values));
}

}  // namespace qpcast::submission
