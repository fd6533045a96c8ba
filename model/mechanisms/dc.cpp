#include "model/mechanisms/dc.hpp"

#include "model/mechanisms/clock.hpp"
#include "model/mechanisms/nic_engine.hpp"

namespace qpcast::dc {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (setup.transport != Transport::dc) return;
  if (setup.gpu_builds()) {
    const auto vector =
        clock::gpu_time(Duration::us(values.get(Param::gpu_inline_chunk)), setup, values);
    pipeline.path("address vector", Phase::issue, vector);
    // Lanes that build for their warp store theirs beside each other.
    if (!setup.warp_publishes())
      pipeline.work(
          Resource::submitter,
          clock::gpu_time(Duration::us(values.get(Param::gpu_inline_stream)), setup, values));
  }
  pipeline.path("DC operation", Phase::transit, Duration::us(values.get(Param::dc_operation)));
  const bool many_targets = setup.pes > 2;
  if (!many_targets) return;
  const double burst = setup.writes_per_visit;
  const double stall = values.get(Param::dc_switch) / (burst * burst);
  pipeline.work(Resource::engine, nic_engine::service(setup, values) * stall);
}

}  // namespace qpcast::dc
