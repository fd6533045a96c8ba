#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "hw/gda/cuda_error.hpp"
#include "hw/gda/gpu_link.hpp"
#include "hw/gda/job.hpp"
#include "hw/gda/passes.hpp"
#include "hw/gda/session.hpp"

namespace qpcast::hw {

namespace {

using namespace gda;

/// Messages that one doorbell of the layout announces.
std::uint32_t per_doorbell(const GpuLayout& g) {
  if (g.publication == Publication::exclusive) return g.batch;
  if (g.publication != Publication::warp_cooperative) return 1;
  return 32 * std::max(1U, g.batch / 32);
}

/// Of what a thread's messages must be a multiple.
std::uint32_t granule(const GpuLayout& g) {
  return g.publication == Publication::warp_cooperative ? per_doorbell(g) / 32 : per_doorbell(g);
}

class EmulatedGpuNic final : public GpuNic {
 public:
  explicit EmulatedGpuNic(emulated::Server& server) : server_{server} {}
  bool executes() const override { return server_.imposed().mode == emulated::Mode::execute; }
  std::unique_ptr<QueueServer> serve(const GpuLayout& layout) override {
    if (executes() && layout.queue_memory == Memory::gpu) return make_gpu_server();
    return std::make_unique<HostServer>(server_);
  }

 private:
  emulated::Server& server_;
};

}  // namespace

/// One pass at a time over one layout's queue pairs.
class GpuLink::Session {
 public:
  Session(const GpuLayout& layout, GpuNic& nic, std::chrono::milliseconds patience)
      : layout_{layout},
        executed_{nic.executes()},
        patience_ns_{static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(patience).count())},
        queues_{layout, nic.serve(layout)},
        report_{sizeof(Report)} {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool executed() const { return executed_; }
  std::uint64_t patience_ns() const { return patience_ns_; }
  void* stream() const { return stream_.get(); }
  gda::Session& queues() { return queues_; }
  Report* report() const { return report_.as<Report>(); }

  void begin(std::uint64_t slots) {
    reset(report_);
    queues_.begin({executed_ ? slots : 1, executed_});
  }

  /// Waits for the kernel, and checks what the NIC did: `messages` writes, `doorbells` signalled.
  Report end(std::uint64_t messages, std::uint64_t doorbells) {
    Report report;
    try {
      report = finish(stream_, report_, "mini-gda");
    } catch (const TransportError&) {
      const auto said = queues_.error_completion();
      queues_.end();
      if (said.empty()) throw;
      throw TransportError{"gpu", "mini-gda", EIO, said};
    }
    if (const auto counted = queues_.end()) account(*counted, messages, doorbells);
    return report;
  }

  void verify(std::uint64_t messages) const {
    if (!executed_) return;
    if (const auto wrong = queues_.first_wrong(messages); wrong >= 0)
      throw TransportError{"gpu", "mini-gda", EIO,
                           fmt::format("the payload of write {} is wrong", wrong)};
  }

 private:
  void account(const emulated::Counters& counted, std::uint64_t messages,
               std::uint64_t doorbells) const {
    const auto expected = executed_ ? messages : messages * layout_.blocks;
    if (counted.served != expected || counted.errors != 0 ||
        (executed_ && counted.completions != doorbells))
      throw TransportError{
          "gpu", "mini-gda", EIO,
          fmt::format("the NIC served {} of {}, completed {} of {}, refused {}", counted.served,
                      expected, counted.completions, doorbells, counted.errors)};
  }

  GpuLayout layout_;
  bool executed_;
  std::uint64_t patience_ns_;
  gda::Session queues_;
  GpuMemory report_;
  Stream stream_;
};

namespace {

GpuLayout layout_within(const GpuLimits& limits, const Layout& layout) {
  auto resolved = gpu_layout(layout);
  check_limits(resolved, limits);
  return resolved;
}

}  // namespace

GpuLink::GpuLink(GpuNic& nic, const Layout& layout, std::chrono::milliseconds patience)
    : layout_{layout_within(gpu_limits(), layout)},
      session_{std::make_unique<Session>(layout_, nic, patience)} {}

GpuLink::~GpuLink() = default;

GpuLatencies GpuLink::latency(std::uint32_t samples) {
  auto& s = *session_;
  const GpuMemory issue{samples * sizeof(std::uint32_t)}, complete{samples * sizeof(std::uint32_t)};
  s.begin(samples);
  LatencyJob job;
  job.qps = s.queues().qps();
  job.configured = layout_.configured;
  job.samples = samples;
  job.writes = s.queues().writes();
  job.issue = issue.as<std::uint32_t>();
  job.complete = complete.as<std::uint32_t>();
  job.report = s.report();
  job.patience_ns = s.patience_ns();
  launch_latency({layout_.publication, layout_.ordering, layout_.inlined, layout_.dc}, job,
                 s.stream());
  const auto report = s.end(samples, samples);
  s.verify(samples);
  return latencies(issue, complete, samples, mhz(report));
}

GpuRate GpuLink::rate(std::uint64_t messages_per_thread) {
  auto& s = *session_;
  const std::uint64_t each = std::max<std::uint64_t>(1, messages_per_thread / granule(layout_));
  Job job;
  job.messages = each * granule(layout_);
  const std::uint64_t total = job.messages * layout_.threads;
  s.begin(total);
  job.qps = s.queues().qps();
  job.qp_count = layout_.qps;
  job.threads = layout_.threads;
  job.batch = layout_.batch;
  job.each = std::max(1U, layout_.batch / 32);
  job.writes = s.queues().writes();
  job.report = s.report();
  job.patience_ns = s.patience_ns();
  launch_rate({layout_.publication, layout_.ordering, layout_.inlined, layout_.dc}, job,
              {layout_.grid_blocks, layout_.per_block}, s.stream());
  const auto report = s.end(total, total / per_doorbell(layout_));
  s.verify(total);
  const auto us = static_cast<double>(report.last - report.first) * 1e-3;
  known_rate_ = static_cast<double>(total) / us;
  return {known_rate_, total, mhz(report)};
}

GpuRate GpuLink::rate(std::chrono::milliseconds time) {
  constexpr std::uint64_t first_try = 256;            // messages per thread
  constexpr std::uint64_t most_target = 64ULL << 20;  // B that are written and checked
  if (known_rate_ == 0) rate(first_try);
  const auto us = static_cast<double>(time.count()) * 1e3;
  auto total = static_cast<std::uint64_t>(known_rate_ * us);
  if (session_->executed()) total = std::min(total, most_target / ((layout_.payload + 7) / 8 * 8));
  return rate(std::max<std::uint64_t>(1, total / layout_.threads));
}

GpuRoundTrips GpuLink::round_trip(std::uint32_t samples) {
  auto& s = *session_;
  constexpr std::uint64_t there = 0, back = 64;  // B; offsets of the words that arrive
  const GpuMemory times{samples * sizeof(std::uint32_t)};
  s.begin(1);
  RoundTripJob job;
  job.qps = s.queues().qps();
  job.samples = samples;
  job.there = job.back = s.queues().writes();
  job.there.remote.address += there;
  job.back.remote.address += back;
  job.arrived_there = s.queues().target(there);
  job.arrived_back = s.queues().target(back);
  job.times = times.as<std::uint32_t>();
  job.report = s.report();
  job.patience_ns = s.patience_ns();
  launch_round_trip(layout_.ordering, job, s.stream());
  const auto report = s.end(2ULL * samples, 2ULL * samples);
  GpuRoundTrips result;
  result.sm_mhz = mhz(report);
  result.times = in_us(times, samples, result.sm_mhz);
  return result;
}

std::unique_ptr<GpuNic> emulated_gpu_nic(emulated::Server& server) {
  return std::make_unique<EmulatedGpuNic>(server);
}

std::string no_gpu() {
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);  // NOLINT(concurrency-mt-unsafe)
  int count = 0;
  const auto code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) return fmt::format("no GPU: {}", cudaGetErrorString(code));
  return count == 0 ? "no GPU in this machine" : "";
}

std::string gpu_pci_address() {
  std::array<char, 32> text{};
  check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 0),
        "cudaDeviceGetPCIBusId");
  return text.data();
}

GpuLimits gpu_limits() {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
        "cudaDeviceGetAttribute");
  return {static_cast<std::size_t>(bytes)};
}

std::map<std::string, std::string> gpu_environment() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0, runtime = 0, khz = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0), "cudaDeviceGetAttribute");
  const auto version = [](int v) { return fmt::format("{}.{}", v / 1000, v % 1000 / 10); };
  return {{"gpu", properties.name},
          {"gpu.sms", std::to_string(properties.multiProcessorCount)},
          {"gpu.compute_capability", fmt::format("{}.{}", properties.major, properties.minor)},
          {"gpu.sm_clock_max_mhz", std::to_string(khz / 1000)},
          {"gpu.driver_api", version(driver)},
          {"gpu.runtime", version(runtime)}};
}

}  // namespace qpcast::hw
