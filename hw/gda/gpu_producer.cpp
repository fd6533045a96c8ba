#include "hw/gda/gpu_producer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hw/gda/cuda_error.hpp"
#include "hw/gda/memory.hpp"
#include "hw/gda/passes.hpp"
#include "hw/gda/producer_job.hpp"

namespace qpcast::hw {

using namespace gda;

struct GpuProducer::State {
  bool tuned;
  std::uint64_t patience_ns;
  std::uint32_t count;
  std::uint64_t capacity;
  GpuMemory rings, report{sizeof(Report)};
  Stream stream;

  ProducerJob job(const RequestPattern& pattern) {
    reset(report);
    ProducerJob job;
    job.rings = rings.as<RingState>();
    job.ring_count = count;
    job.pattern = pattern;
    job.report = report.as<Report>();
    job.patience_ns = patience_ns;
    return job;
  }
};

GpuProducer::GpuProducer(std::span<const RingView> rings, bool tuned,
                         std::chrono::milliseconds patience)
    : state_{new State{tuned,
                       static_cast<std::uint64_t>(std::chrono::nanoseconds{patience}.count()),
                       static_cast<std::uint32_t>(rings.size()),
                       rings.front().capacity,
                       GpuMemory{rings.size() * sizeof(RingState)},
                       GpuMemory{sizeof(Report)},
                       {}}} {
  std::vector<RingState> states;
  for (const auto& view : rings) states.push_back({view, 0});
  state_->rings.from_host(states.data(), states.size() * sizeof(RingState));
}

GpuProducer::~GpuProducer() = default;

GpuLatencies GpuProducer::latency(std::uint32_t samples, const RequestPattern& pattern) {
  const GpuMemory issue{samples * sizeof(std::uint32_t)}, complete{samples * sizeof(std::uint32_t)};
  auto job = state_->job(pattern);
  job.requests = samples;
  job.issue = issue.as<std::uint32_t>();
  job.complete = complete.as<std::uint32_t>();
  launch_producer_latency(state_->tuned, job, state_->stream.get());
  const auto report = finish(state_->stream, state_->report, "mini-proxy's GPU producer");
  return latencies(issue, complete, samples, mhz(report));
}

GpuRate GpuProducer::rate(std::uint64_t per_ring, std::uint64_t window,
                          const RequestPattern& pattern) {
  auto job = state_->job(pattern);
  job.requests = per_ring;
  job.window = window == 0 ? state_->capacity : std::min(window, state_->capacity);
  launch_producer_rate(state_->tuned, job, state_->stream.get());
  const auto report = finish(state_->stream, state_->report, "mini-proxy's GPU producer");
  const auto total = per_ring * state_->count;
  return {static_cast<double>(total) / (static_cast<double>(report.last - report.first) * 1e-3),
          total, mhz(report)};
}

}  // namespace qpcast::hw
