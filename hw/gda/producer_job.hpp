/// What the producer's kernels are asked to do.
#pragma once

#include "hw/gda/gpu_producer.hpp"
#include "hw/gda/job.hpp"

namespace qpcast::hw::gda {

/// A ring and what its producer keeps between passes; GPU memory.
struct RingState {
  RingView view;                ///< `reserved` is unused: the GPU's own counter stands for it
  unsigned long long reserved;  ///< descriptors ever pushed
};

struct ProducerJob {
  RingState* rings = nullptr;
  std::uint32_t ring_count = 1;
  std::uint64_t requests = 0;  ///< per ring
  std::uint64_t window = 0;    ///< outstanding per ring at most
  RequestPattern pattern;
  std::uint32_t* issue = nullptr;  ///< clock cycles per lone request
  std::uint32_t* complete = nullptr;
  Report* report = nullptr;
  std::uint64_t patience_ns = 0;
};

void launch_producer_latency(bool tuned, const ProducerJob& job, void* stream);
void launch_producer_rate(bool tuned, const ProducerJob& job, void* stream);

}  // namespace qpcast::hw::gda
