#include "model/mechanisms/memory_geography.hpp"

#include <algorithm>

namespace qpcast::memory_geography {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  const bool gpu_queues = setup.queue_memory == Memory::gpu;
  auto visible = Duration::us(values.get(Param::nic_visible));
  if (!setup.gpu_builds()) {
    const auto saved = Duration::us(values.get(Param::nic_dma_read));
    visible = std::max(visible - saved, Duration{});
  }
  pipeline.path("NIC to target", Phase::transit, visible);
  pipeline.path("acknowledge", Phase::acknowledge, Duration::us(values.get(Param::nic_ack)));
  if (!setup.facts->coherent) return;
  const auto trip = Duration::us(values.get(Param::nic_geography));
  pipeline.path("payload through the CPU", Phase::transit, trip);
  if (!gpu_queues) return;
  pipeline.path("WQE through the CPU", Phase::transit, trip);
  pipeline.path("CQE through the CPU", Phase::acknowledge, trip);
}

}  // namespace qpcast::memory_geography
