#include "hw/gda/cuda_error.hpp"
#include "hw/gda/producer_job.hpp"
#include "hw/gda/spin.cuh"
#include "hw/gda/stopwatch.cuh"
#include "hw/proxy/ring_device.cuh"

namespace qpcast::hw::gda {

namespace {

/// The requests of a pass, one after the other. Counted on: a division would cost a thread more
/// than the handoff that is measured.
class Requests {
 public:
  __device__ explicit Requests(const RequestPattern& pattern) : pattern_{pattern} {}
  __device__ Request next() {
    const auto offset = pattern_.first + slot_ * pattern_.stride;
    if (++slot_ == pattern_.slots) slot_ = 0;
    return {offset, offset, pattern_.length, 0, RequestKind::write};
  }

 private:
  RequestPattern pattern_;
  std::uint32_t slot_ = 0;
};

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
  Requests requests{job.pattern};
  Stopwatch watch{job.report};
  for (std::uint64_t i = 0; i < job.requests; ++i) {
    const auto request = requests.next();
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
  Requests requests{job.pattern};
  Stopwatch watch{job.report};
  const auto base = producer.pushed();
  // Looks once per half window: the counter is read over PCIe, behind the stores before it.
  const std::uint64_t half = job.window / 2 + 1;
  std::uint64_t look = job.window;
  for (std::uint64_t i = 0; i < job.requests; ++i) {
    if (i == look) {
      if (!producer.await(base + i - job.window + half, patience)) return;
      look += half;
    }
    if (!producer.push(requests.next())) return patience.fail(Failure::no_room);
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
