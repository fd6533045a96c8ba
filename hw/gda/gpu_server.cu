#include <algorithm>

#include "hw/gda/cuda_error.hpp"
#include "hw/gda/memory.hpp"
#include "hw/gda/queue_server.hpp"
#include "hw/nic/emulated/engine.hpp"

namespace qpcast::hw::gda {

namespace {

using emulated::Adapter;
using emulated::Condition;
using emulated::Queue;
using emulated::Registration;

/// Messages of one queue pair that are served before the next one's turn.
constexpr std::uint32_t burst = 32;

constexpr std::uint32_t queue_slots = 1024;
constexpr std::uint32_t most_blocks = 256;
/// Empty rounds, about 1 us each, before a block looks less often: more than lone operations need.
constexpr std::uint32_t looks_before_rest = 32;
constexpr std::uint32_t rest_ns_per_block = 16;  ///< so that all blocks look 60 times a us
constexpr std::uint32_t most_served = queue_slots / most_blocks;  ///< by one block

__device__ void write_back(Queue& to, const Queue& from) {
  to.completions.produced = from.completions.produced;
  to.fetched = from.fetched;
  to.announced = from.announced;
  to.condition = from.condition;
  to.event = from.event;
  to.counters = from.counters;
}

/// A queue pair beside the condition that the adapter's table has of it.
struct Served {
  Queue queue;
  Condition told;
};

/// The host's word, and what the first block has read of it: reads of one word across PCIe wait for
/// each other, those of GPU memory do not.
struct Stop {
  const volatile std::uint32_t* host;
  volatile std::uint32_t* relayed;
};

__device__ bool told_to_stop(const Stop& stop) {
  if (blockIdx.x != 0) return *stop.relayed != 0;
  const std::uint32_t told = *stop.host;
  if (told != 0) *stop.relayed = told;
  return told != 0;
}

/// One thread of each block serves every gridDim-th queue pair. It keeps them in shared memory;
/// what others may ask about them, whether they are in error, is told in the adapter's own table.
__global__ void serve_kernel(Adapter adapter, const std::uint32_t* active, std::uint32_t count,
                             Stop stop) {
  extern __shared__ Served served[];
  std::uint32_t served_count = 0;
  for (std::uint32_t i = blockIdx.x; i < count; i += gridDim.x, ++served_count) {
    served[served_count].queue = adapter.queues[active[i]];
    served[served_count].told = served[served_count].queue.condition;
  }
  const auto original = [&](std::uint32_t k) -> Queue& {
    return adapter.queues[active[blockIdx.x + k * gridDim.x]];
  };
  std::uint32_t idle = 0;
  for (bool last = false;;) {
    bool busy = false;
    for (std::uint32_t k = 0; k < served_count; ++k) {
      auto& [queue, told] = served[k];
      busy |= emulated::step(adapter, queue, emulated::Mode::execute, burst) > 0;
      if (queue.condition == told) continue;
      write_back(original(k), queue);
      told = queue.condition;
    }
    if (busy) {
      idle = 0;
      continue;
    }
    // Told to stop before this round began, and nothing was left: all doorbells are served.
    if (last) break;
    // Each look crosses PCIe, and what is not used should not be in the way of what is.
    if (++idle >= looks_before_rest) __nanosleep(rest_ns_per_block * gridDim.x);
    last = told_to_stop(stop);
  }
  for (std::uint32_t k = 0; k < served_count; ++k) write_back(original(k), served[k].queue);
}

class GpuServer final : public QueueServer {
 public:
  GpuServer() : stop_{sizeof(std::uint32_t)}, gpu_stop_{sizeof(std::uint32_t)} {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~GpuServer() override {
    halt();
    cudaStreamDestroy(stream_);
  }
  GpuServer(const GpuServer&) = delete;
  GpuServer& operator=(const GpuServer&) = delete;

  std::uint32_t register_memory(void* address, std::size_t bytes) override {
    const auto slot = static_cast<std::uint32_t>(registrations_.size());
    const std::uint32_t key = (slot + 1) << 8 | 1;
    registrations_.push_back({reinterpret_cast<std::uintptr_t>(address), bytes, key, true, true});
    return key;
  }

  std::uint32_t attach(emulated::QueueMemory& memory, std::uint64_t access_key) override {
    const std::uint32_t number = queue_slots | ++attached_;
    Queue queue;
    queue.memory = memory;
    queue.send = wqe::make_send_queue(memory.send_queue, memory.depth, number);
    queue.completions.memory = memory.completions;
    queue.access_key = access_key;
    queue.condition = emulated::Condition::ready;
    if (queues_.empty()) queues_.resize(queue_slots);
    queues_.at(attached_) = queue;
    return number;
  }

  void connect(std::uint32_t number, std::uint32_t peer) override {
    queues_.at(number % queue_slots).peer = peer;
  }

  void start() override {
    std::vector<std::uint32_t> active(attached_);
    for (std::uint32_t i = 0; i < attached_; ++i) active[i] = i + 1;
    upload(gpu_registrations_, registrations_);
    upload(gpu_queues_, queues_);
    upload(gpu_active_, active);
    *stop_.as<volatile std::uint32_t>() = 0;
    gpu_stop_.fill(0);
    const Adapter adapter{gpu_registrations_.as<Registration>(),
                          static_cast<std::uint32_t>(registrations_.size()),
                          gpu_queues_.as<Queue>(), queue_slots};
    const auto blocks = std::min(attached_, most_blocks);
    // An SM cannot divide its memory anew while a block runs there, and these run until stop(): a
    // submitter that needs shared memory would wait for them for ever.
    check(cudaFuncSetAttribute(serve_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared),
          "cudaFuncSetAttribute");
    serve_kernel<<<blocks, 1, most_served * sizeof(Served), stream_>>>(
        adapter, gpu_active_.as<std::uint32_t>(), attached_,
        Stop{stop_.as<std::uint32_t>(), gpu_stop_.as<std::uint32_t>()});
    check(cudaGetLastError(), "launch");
    running_ = true;
  }

  std::optional<emulated::Counters> stop() override {
    halt();
    check(cudaGetLastError(), "emulated NIC");
    gpu_queues_.to_host(queues_.data(), queues_.size() * sizeof(Queue));
    emulated::Counters sum;
    for (std::uint32_t i = 1; i <= attached_; ++i) sum += queues_.at(i).counters;
    registrations_.clear();
    queues_.clear();
    attached_ = 0;
    return sum;
  }

  bool in_gpu_memory() const override { return true; }

 private:
  template <class T>
  static void upload(GpuMemory& to, const std::vector<T>& from) {
    const auto bytes = from.size() * sizeof(T);
    if (to.bytes() < bytes) to = GpuMemory{bytes};
    to.from_host(from.data(), bytes);
  }
  void halt() {
    if (!running_) return;
    *stop_.as<volatile std::uint32_t>() = 1;
    cudaStreamSynchronize(stream_);
    running_ = false;
  }

  cudaStream_t stream_ = nullptr;
  PinnedMemory stop_;
  GpuMemory gpu_stop_;
  std::vector<Registration> registrations_;
  std::vector<Queue> queues_;
  std::uint32_t attached_ = 0;
  GpuMemory gpu_registrations_, gpu_queues_, gpu_active_;
  bool running_ = false;
};

}  // namespace

std::unique_ptr<QueueServer> make_gpu_server() { return std::make_unique<GpuServer>(); }

}  // namespace qpcast::hw::gda
