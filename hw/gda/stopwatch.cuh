/// Times a run by the GPU's own clocks.
#pragma once

#include "hw/gda/job.hpp"
#include "hw/gda/spin.cuh"

namespace qpcast::hw::gda {

/// Thread 0's clocks over the run: what the SM clock was.
class Stopwatch {
 public:
  __device__ explicit Stopwatch(Report* report)
      : report_{report}, ns_{nanoseconds()}, cycles_{cycles()} {
    atomicMin(&report->first, ns_);
  }
  __device__ void stop() {
    const unsigned long long now = nanoseconds();
    atomicMax(&report_->last, now);
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    report_->cycles = cycles() - cycles_;
    report_->elapsed = now - ns_;
  }

 private:
  Report* report_;
  unsigned long long ns_;
  unsigned long long cycles_;
};

}  // namespace qpcast::hw::gda
