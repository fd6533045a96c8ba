/// What every pass on the GPU needs: a stream, its report, times in us.
#pragma once

#include "hw/gda/gpu_link.hpp"
#include "hw/gda/job.hpp"
#include "hw/gda/memory.hpp"

namespace qpcast::hw::gda {

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void* get() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

/// A report that says nothing yet.
void reset(GpuMemory& report);
/// Waits for the kernel. @throws DeviceError when it gave up, saying on what
Report finish(const Stream& stream, const GpuMemory& report, const char* what);
/// The SM clock that thread 0 saw.
double mhz(const Report& report);
std::vector<double> in_us(const GpuMemory& cycles, std::uint32_t count, double sm_mhz);
GpuLatencies latencies(const GpuMemory& issue, const GpuMemory& complete, std::uint32_t samples,
                       double sm_mhz);

}  // namespace qpcast::hw::gda
