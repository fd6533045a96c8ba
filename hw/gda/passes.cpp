#include "hw/gda/passes.hpp"

#include <cerrno>
#include <string>

#include "hw/gda/cuda_error.hpp"

namespace qpcast::hw::gda {

namespace {

const char* text_of(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "nothing";
    case Failure::no_room:
      return "the send queue stayed full: the NIC retires nothing";
    case Failure::no_turn:
      return "a thread never got its turn to publish";
    case Failure::no_completion:
      return "a completion did not come";
    case Failure::no_message:
      return "the other side's write did not come";
    case Failure::error_entry:
      return "the NIC completed a write with an error";
  }
  return "unknown";
}

}  // namespace

Stream::Stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  stream_ = stream;
}

Stream::~Stream() { cudaStreamDestroy(static_cast<cudaStream_t>(stream_)); }

void reset(GpuMemory& report) {
  const Report fresh;
  report.from_host(&fresh, sizeof fresh);
}

Report finish(const Stream& stream, const GpuMemory& report, const char* what) {
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream.get())), "kernel");
  Report result;
  report.to_host(&result, sizeof result);
  if (result.failure != 0)
    throw TransportError{"gpu", what, ETIMEDOUT, text_of(static_cast<Failure>(result.failure))};
  return result;
}

double mhz(const Report& report) {
  return report.elapsed == 0
             ? 0
             : 1e3 * static_cast<double>(report.cycles) / static_cast<double>(report.elapsed);
}

std::vector<double> in_us(const GpuMemory& cycles, std::uint32_t count, double sm_mhz) {
  std::vector<std::uint32_t> raw(count);
  cycles.to_host(raw.data(), count * sizeof(std::uint32_t));
  std::vector<double> us;
  us.reserve(count);
  for (const auto c : raw) us.push_back(c / sm_mhz);
  return us;
}

GpuLatencies latencies(const GpuMemory& issue, const GpuMemory& complete, std::uint32_t samples,
                       double sm_mhz) {
  GpuLatencies result;
  result.sm_mhz = sm_mhz;
  result.issue = in_us(issue, samples, sm_mhz);
  result.completion = in_us(complete, samples, sm_mhz);
  for (std::uint32_t i = 0; i < samples; ++i)
    result.doorbell_to_cqe.push_back(result.completion[i] - result.issue[i]);
  return result;
}

}  // namespace qpcast::hw::gda
