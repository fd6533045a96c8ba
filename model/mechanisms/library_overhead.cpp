#include "model/mechanisms/library_overhead.hpp"

#include "model/mechanisms/clock.hpp"

namespace qpcast::library_overhead {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  const auto receive = Duration::us(setup.cost(values, Cost::receive));
  pipeline.path("library receive", Phase::receive, clock::gpu_time(receive, setup, values));
  if (!setup.gpu_builds()) return;
  const auto overhead =
      clock::gpu_time(Duration::us(setup.cost(values, Cost::issue)), setup, values);
  pipeline.path("library call", Phase::issue, overhead);
  if (setup.warp_publishes() || setup.one_call)
    pipeline.work(Resource::submitter, {}, overhead);
  else
    pipeline.work(Resource::submitter, overhead);
}

}  // namespace qpcast::library_overhead
