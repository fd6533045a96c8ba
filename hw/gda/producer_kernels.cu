#include "hw/gda/cuda_error.hpp"
#include "hw/gda/producer_job.hpp"
#include "hw/gda/spin.cuh"
#include "hw/gda/stopwatch.cuh"
#include "hw/proxy/ring_device.cuh"

namespace qpcast::hw::gda {

namespace {

__device__ Request request_of(const RequestPattern& pattern, std::uint64_t i) {
  const auto offset =
      pattern.first + static_cast<std::uint32_t>(i % pattern.slots) * pattern.stride;
  return {offset, offset, pattern.length, 0, RequestKind::write};
}

/// One thread's end of a ring, by the handoff.
template <bool tuned>
class Producer {
 public:
  __device__ explicit Producer(RingState& state)
      : state_{state},
        ring_{state.view.slots, state.view.capacity, &state.reserved, state.view.consumed},
        own_{state.reserved, load_volatile(state.view.consumed),
             lap_of(state.reserved, state.view.capacity)} {}
  __device__ bool push(const Request& request) {
    if constexpr (tuned) return device::push_tuned(ring_, own_, request);
    ++own_.tail;
    return device::push_baseline(ring_, request);
  }
  __device__ std::uint64_t pushed() const { return own_.tail; }
  __device__ bool await(std::uint64_t count, const Patience& patience) const {
    const auto* completed = state_.view.completed;
    return spin(patience, Failure::no_completion,
                [&] { return load_volatile(completed) >= count; });
  }
  __device__ void finish() {
    if (tuned) state_.reserved = own_.tail;
  }

 private:
  RingState& state_;
  device::RingOnDevice ring_;
  device::TunedTail own_;
};

template <bool tuned>
__global__ void latency_kernel(ProducerJob job) {
  constexpr std::uint32_t idle_ns = 2000;
  const Patience patience{nanoseconds() + job.patience_ns, &job.report->failure};
  Producer<tuned> producer{job.rings[0]};
  Stopwatch watch{job.report};
  for (std::uint64_t i = 0; i < job.requests; ++i) {
    const auto request = request_of(job.pattern, i);
    __nanosleep(idle_ns);
    const auto begin = short_cycles();
    if (!producer.push(request)) return patience.fail(Failure::no_room);
    const auto issued = short_cycles();
    if (!producer.await(producer.pushed(), patience)) return;
    job.complete[i] = short_cycles() - begin;
    job.issue[i] = issued - begin;
  }
  producer.finish();
  watch.stop();
}

template <bool tuned>
__global__ void rate_kernel(ProducerJob job) {
  const Patience patience{nanoseconds() + job.patience_ns, &job.report->failure};
  Producer<tuned> producer{job.rings[blockIdx.x]};
  Stopwatch watch{job.report};
  const auto base = producer.pushed();
  for (std::uint64_t i = 0; i < job.requests; ++i) {
    // Looks once per half window, so that the counter is not read over PCIe for every request.
    if (i >= job.window && i % (job.window / 2 + 1) == 0 &&
        !producer.await(base + i - job.window + job.window / 2 + 1, patience))
      return;
    if (!producer.push(request_of(job.pattern, i))) return patience.fail(Failure::no_room);
  }
  if (!producer.await(producer.pushed(), patience)) return;
  producer.finish();
  watch.stop();
}

}  // namespace

void launch_producer_latency(bool tuned, const ProducerJob& job, void* stream) {
  auto* const kernel = tuned ? latency_kernel<true> : latency_kernel<false>;
  kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(job);
  check(cudaGetLastError(), "launch");
}

void launch_producer_rate(bool tuned, const ProducerJob& job, void* stream) {
  auto* const kernel = tuned ? rate_kernel<true> : rate_kernel<false>;
  kernel<<<job.ring_count, 1, 0, static_cast<cudaStream_t>(stream)>>>(job);
  check(cudaGetLastError(), "launch");
}

}  // namespace qpcast::hw::gda
