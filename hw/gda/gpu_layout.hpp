/// A layout as mini-gda runs it: every count resolved, every limit checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/layout.hpp"

namespace qpcast::hw {

/// mini-gda's reach.
inline constexpr std::uint32_t most_gpu_qps = 528;
inline constexpr std::uint32_t most_gpu_threads = 16384;
inline constexpr std::uint32_t most_gpu_batch = 256;
inline constexpr std::uint32_t most_owned_qps =
    64;  ///< queue pairs of one thread, each in shared memory (queue_pair.hpp)

struct GpuLayout {
  std::uint32_t threads = 1;
  std::uint32_t sms = 1;
  std::uint32_t qps = 1;         ///< that messages are spread over
  std::uint32_t configured = 1;  ///< that the completion scope visits
  std::uint32_t batch = 1;       ///< messages per doorbell
  std::uint32_t payload = 8;     ///< B
  bool inlined = true;
  bool assisted = false;  ///< a CPU thread forwards the doorbell
  bool dc = false;
  Ordering ordering = Ordering::gpu;
  Publication publication = Publication::exclusive;
  Memory queue_memory = Memory::host;
  std::uint32_t blocks = 1;    ///< 64 B blocks per WQE
  std::uint32_t depth = 4096;  ///< blocks per send queue, a power of two
  std::uint32_t grid_blocks = 1, per_block = 1;
};

/// @throws InputError naming the key that mini-gda cannot do and what it can
GpuLayout gpu_layout(const Layout& layout);

/// What differs from GPU to GPU.
struct GpuLimits {
  std::size_t shared_per_block = 0;  ///< B of shared memory that a block may ask for
};

/// @throws InputError naming the key of a layout that this GPU cannot launch
void check_limits(const GpuLayout& layout, const GpuLimits& limits);

}  // namespace qpcast::hw
