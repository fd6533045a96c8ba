// Compiles the engine for the GPU: one thread per queue pair serves it in its own memory.
#include "hw/nic/emulated/engine.hpp"

namespace qpcast::hw::emulated {

__global__ void serve(Adapter adapter, Mode mode, const std::uint32_t* stop) {
  Queue& queue = adapter.queues[blockIdx.x];
  while (load_acquire(stop) == 0) step(adapter, queue, mode, 32);
}

}  // namespace qpcast::hw::emulated
