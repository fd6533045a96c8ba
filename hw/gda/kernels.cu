#include "hw/gda/cuda_error.hpp"
#include "hw/gda/job.hpp"
#include "hw/gda/publish.cuh"
#include "hw/gda/stopwatch.cuh"
#include "hw/gda/write.cuh"

namespace qpcast::hw::gda {

namespace {

constexpr std::uint32_t lanes = 32;
constexpr std::size_t default_shared = 48 << 10;  ///< B of shared memory without asking

__device__ Patience patience_of(Report* report, std::uint64_t ns) {
  return {nanoseconds() + ns, &report->failure};
}

/// The threads of a strategy, numbered; those that do not take part get a number too high.
template <Publication strategy>
__device__ std::uint32_t number() {
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if constexpr (strategy == Publication::thread_handoff)
    return thread % lanes == 0 ? thread / lanes : ~0U;
  return thread;
}

/// A thread that owns several queue pairs and visits them in turn. They lie in shared memory: in
/// global memory each visit would wait for the L2, whose lines the ordering has made stale.
template <Ordering scope, class Write, class Vector>
__device__ bool stream_over_many(const Job& job, std::uint32_t t, const Patience& patience) {
  extern __shared__ Owned owned_of_block[];
  Owned* const owned = owned_of_block + threadIdx.x * owned_by_one(job.qp_count, job.threads);
  const std::uint32_t count = (job.qp_count - t + job.threads - 1) / job.threads;
  for (std::uint32_t k = 0; k < count; ++k) owned[k] = {job.qps[t + k * job.threads], {}};
  const Writes writes = job.writes;
  std::uint32_t k = 0;
  for (std::uint64_t m = 0; m < job.messages; m += job.batch) {
    auto [qp, at] = owned[k];
    if (!put_alone<scope, Write, Vector>(qp, writes, t * job.messages + m, job.batch, at, patience))
      return false;
    owned[k].at = at;
    if (++k == count) k = 0;
  }
  for (k = 0; k < count; ++k)
    if (owned[k].at.next > 0 && !await(owned[k].qp, writes, owned[k].at.next, patience))
      return false;
  return true;
}

template <Ordering scope, class Write, class Vector>
__device__ bool stream_alone(const Job& job, std::uint32_t t, const Patience& patience) {
  const QueuePair qp = job.qps[t];
  const Writes writes = job.writes;
  Cursor at;
  for (std::uint64_t m = 0; m < job.messages; m += job.batch)
    if (!put_alone<scope, Write, Vector>(qp, writes, t * job.messages + m, job.batch, at, patience))
      return false;
  return await(qp, writes, at.next, patience);
}

template <Ordering scope, class Write, class Vector>
__global__ void exclusive_kernel(Job job) {
  const auto t = number<Publication::exclusive>();
  if (t >= job.threads) return;
  const auto patience = patience_of(job.report, job.patience_ns);
  Stopwatch watch{job.report};
  const bool done = job.qp_count > job.threads
                        ? stream_over_many<scope, Write, Vector>(job, t, patience)
                        : stream_alone<scope, Write, Vector>(job, t, patience);
  if (done) watch.stop();
}

template <Publication strategy, Ordering scope, class Write, class Vector>
__device__ bool put_shared(const QueuePair& qp, const Writes& writes, std::uint64_t message,
                           Cursor& at, const Patience& patience) {
  if constexpr (strategy == Publication::lock_per_wqe)
    return put_locked<scope, Write, Vector>(qp, writes, message, at, patience);
  else
    return put_in_turn<scope, Write, Vector>(qp, writes, message, at, patience);
}

template <Publication strategy, Ordering scope, class Write, class Vector>
__global__ void shared_kernel(Job job) {
  const auto t = number<strategy>();
  if (t >= job.threads) return;
  const auto patience = patience_of(job.report, job.patience_ns);
  const QueuePair qp = job.qps[t / lanes % job.qp_count];
  const Writes writes = job.writes;
  Stopwatch watch{job.report};
  Cursor at;
  for (std::uint64_t m = 0; m < job.messages; ++m) {
    if (!put_shared<strategy, scope, Write, Vector>(qp, writes, t * job.messages + m, at, patience))
      return;
    if constexpr (strategy == Publication::warp_synchronised) __syncwarp();
  }
  if (await(qp, writes, at.next, patience)) watch.stop();
}

template <Ordering scope, class Write, class Vector>
__global__ void cooperative_kernel(Job job) {
  const auto t = number<Publication::warp_cooperative>();
  if (t >= job.threads) return;
  const auto patience = patience_of(job.report, job.patience_ns);
  const std::uint32_t warp = t / lanes;
  const QueuePair qp = job.qps[warp % job.qp_count];
  const Writes writes = job.writes;
  const std::uint64_t mine = job.messages * lanes;
  Stopwatch watch{job.report};
  Cursor at;
  for (std::uint64_t m = 0; m < mine; m += 1ULL * lanes * job.each)
    if (!put_together<scope, Write, Vector>(qp, writes, warp * mine + m, job.each, at, patience))
      return;
  if (await(qp, writes, at.next, patience)) watch.stop();
}

template <Ordering scope, class Write, class Vector>
__global__ void latency_kernel(LatencyJob job) {
  constexpr std::uint32_t idle_ns = 2000;  ///< between puts, so that the store path is idle
  const auto patience = patience_of(job.report, job.patience_ns);
  const QueuePair qp = job.qps[0];
  const Writes writes = job.writes;
  Stopwatch watch{job.report};
  Cursor at;
  for (std::uint32_t s = 0; s < job.samples; ++s) {
    __nanosleep(idle_ns);
    const std::uint32_t begin = short_cycles();
    if (!put_alone<scope, Write, Vector>(qp, writes, s, 1, at, patience)) return;
    const std::uint32_t issued = short_cycles();
    store_volatile(&qp.shared->published, static_cast<unsigned long long>(at.next));
    for (std::uint32_t q = 0; q < job.configured; ++q)
      if (!visit(job.qps[q], writes, patience)) return;
    job.complete[s] = short_cycles() - begin;
    job.issue[s] = issued - begin;
  }
  watch.stop();
}

/// Waits for the other side's write number `value`.
__device__ bool arrived(const std::uint64_t* word, std::uint64_t message,
                        const Patience& patience) {
  const auto low = pattern_word(message, 0);
  return spin(patience, Failure::no_message,
              [&] { return static_cast<std::uint32_t>(load_volatile(word)) == low; });
}

template <Ordering scope>
__global__ void round_trip_kernel(RoundTripJob job) {
  using Write = InlineWrite<wqe::Connected>;
  const bool pings = blockIdx.x == 0;
  const auto patience = patience_of(job.report, job.patience_ns);
  const QueuePair qp = job.qps[pings ? 0 : 1];
  const Writes writes = pings ? job.there : job.back;
  Stopwatch watch{job.report};
  Cursor at;
  for (std::uint32_t s = 0; s < job.samples; ++s) {
    const std::uint32_t begin = short_cycles();
    if (!pings && !arrived(job.arrived_there, s, patience)) return;
    if (!put_alone<scope, Write, wqe::Connected>(qp, writes, s, 1, at, patience)) return;
    if (!pings) continue;
    if (!arrived(job.arrived_back, s, patience)) return;
    job.times[s] = short_cycles() - begin;
  }
  watch.stop();
}

template <Ordering scope, class Write, class Vector>
void launch_scoped(const Variant& variant, const Job& job, const Grid& grid, cudaStream_t stream) {
  const auto launch = [&](auto* kernel, std::size_t shared = 0) {
    if (shared > default_shared)
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shared)),
            "cudaFuncSetAttribute");
    kernel<<<grid.blocks, grid.per_block, shared, stream>>>(job);
  };
  switch (variant.publication) {
    case Publication::exclusive:
      return launch(exclusive_kernel<scope, Write, Vector>,
                    shared_bytes(job.qp_count, job.threads, grid.per_block));
    case Publication::warp_cooperative:
      return launch(cooperative_kernel<scope, Write, Vector>);
    case Publication::lock_per_wqe:
      return launch(shared_kernel<Publication::lock_per_wqe, scope, Write, Vector>);
    case Publication::thread_handoff:
      return launch(shared_kernel<Publication::thread_handoff, scope, Write, Vector>);
    case Publication::warp_synchronised:
      return launch(shared_kernel<Publication::warp_synchronised, scope, Write, Vector>);
    case Publication::warp_drifting:
      return launch(shared_kernel<Publication::warp_drifting, scope, Write, Vector>);
  }
}

/// Calls `use` with the ordering as a constant.
template <class Use>
void with_ordering(Ordering ordering, Use use) {
  switch (ordering) {
    case Ordering::none:
      return use(std::integral_constant<Ordering, Ordering::none>{});
    case Ordering::gpu:
      return use(std::integral_constant<Ordering, Ordering::gpu>{});
    case Ordering::release:
      return use(std::integral_constant<Ordering, Ordering::release>{});
    case Ordering::system:
      return use(std::integral_constant<Ordering, Ordering::system>{});
  }
}

/// Calls `use` with the kind of write and of address vector as types.
template <class Use>
void with_write(const Variant& variant, Use use) {
  using wqe::CompactVector;
  using wqe::Connected;
  if (variant.dc)
    return variant.inlined ? use(InlineWrite<CompactVector>{}, CompactVector{})
                           : use(PointerWrite<CompactVector>{}, CompactVector{});
  return variant.inlined ? use(InlineWrite<Connected>{}, Connected{})
                         : use(PointerWrite<Connected>{}, Connected{});
}

}  // namespace

void launch_rate(const Variant& variant, const Job& job, const Grid& grid, void* stream) {
  with_ordering(variant.ordering, [&](auto scope) {
    with_write(variant, [&](auto write, auto vector) {
      launch_scoped<scope(), decltype(write), decltype(vector)>(variant, job, grid,
                                                                static_cast<cudaStream_t>(stream));
    });
  });
  check(cudaGetLastError(), "launch");
}

void launch_latency(const Variant& variant, const LatencyJob& job, void* stream) {
  with_ordering(variant.ordering, [&](auto scope) {
    with_write(variant, [&](auto write, auto vector) {
      latency_kernel<scope(), decltype(write), decltype(vector)>
          <<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(job);
    });
  });
  check(cudaGetLastError(), "launch");
}

void launch_round_trip(Ordering ordering, const RoundTripJob& job, void* stream) {
  with_ordering(ordering, [&](auto scope) {
    round_trip_kernel<scope()><<<2, 1, 0, static_cast<cudaStream_t>(stream)>>>(job);
  });
  check(cudaGetLastError(), "launch");
}

}  // namespace qpcast::hw::gda
