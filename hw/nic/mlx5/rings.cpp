#include "hw/nic/mlx5/rings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "hw/nic/device_error.hpp"
#include "hw/wqe/completion.hpp"

namespace qpcast::hw::mlx5 {

namespace {

constexpr std::size_t page = 4096;

constexpr const char* no_doorbell_mapping =
    "the driver refuses to map the NIC's doorbell page into the GPU; load the nvidia module with "
    "NVreg_RegistryDwords=\"PeerMappingOverride=1;\", run with CAP_SYS_ADMIN, or measure "
    "submitter=cpu-assisted";

}  // namespace

const char* const no_gpu_registration =
    "the NIC can register GPU memory neither by dma-buf (open GPU kernel modules, Linux 5.12) nor "
    "by peermem (modprobe nvidia-peermem); load one, or measure queue_memory=host";

Rings::Rings(Calls& calls, Memory memory, const QueuePlan& plan, bool for_gpu)
    : calls_{calls}, gpu_{memory == Memory::gpu} {
  if (gpu_) {
    open_gpu(plan);
  } else {
    open_host(plan, for_gpu);
  }
}

void Rings::open_host(const QueuePlan& plan, bool for_gpu) {
  memory_ = std::aligned_alloc(page, plan.bytes);
  if (!memory_) throw DeviceError{calls_.name(), "aligned_alloc", ENOMEM, "a smaller depth?"};
  std::fill_n(static_cast<std::uint8_t*>(memory_), plan.bytes, std::uint8_t{0});
  std::fill_n(static_cast<std::uint8_t*>(memory_) + plan.completion_queue,
              plan.cq_record - plan.completion_queue, wqe::unwritten_entry);
  visible_ = for_gpu ? calls_.map_host(memory_, plan.bytes) : memory_;
  mapped_ = for_gpu && visible_;
  if (visible_) umem_ = calls_.register_memory(memory_, plan.bytes);
  const int code = errno;
  if (umem_.handle) return;
  const bool refused_gpu = !visible_;
  close();
  throw DeviceError{calls_.name(), refused_gpu ? "cudaHostRegister" : "mlx5dv_devx_umem_reg", code,
                    refused_gpu ? "the GPU cannot reach host memory; is CUDA in this build?"
                                : "is 'ulimit -l' large enough, and DEVX permitted (CAP_NET_RAW)?"};
}

void Rings::open_gpu(const QueuePlan& plan) {
  memory_ = visible_ = calls_.allocate_gpu(plan.bytes);
  if (!memory_) throw DeviceError{calls_.name(), "cudaMalloc", errno, "is CUDA in this build?"};
  auto* const bytes = static_cast<std::uint8_t*>(memory_);
  const bool filled = calls_.fill_gpu(bytes, 0, plan.bytes) == 0 &&
                      calls_.fill_gpu(bytes + plan.completion_queue, wqe::unwritten_entry,
                                      plan.cq_record - plan.completion_queue) == 0;
  if (filled) register_gpu(plan.bytes);
  const int code = errno;
  if (umem_.handle) return;
  close();
  throw DeviceError{calls_.name(), filled ? "register GPU memory" : "cudaMemset", code,
                    filled ? no_gpu_registration : "see the GPU's error log"};
}

void Rings::register_gpu(std::size_t bytes) {
  const int descriptor = calls_.export_dmabuf(memory_, bytes);
  if (descriptor >= 0) {
    umem_ = calls_.register_dmabuf(descriptor, bytes);
    ::close(descriptor);  // the registration holds its own reference
  }
  if (!umem_.handle) umem_ = calls_.register_memory(memory_, bytes);
}

void Rings::close() {
  if (umem_.handle) calls_.deregister(umem_.handle);
  if (mapped_) calls_.unmap_host(memory_);
  if (gpu_ && memory_) calls_.free_gpu(memory_);
  if (!gpu_) std::free(memory_);
  umem_ = {};
  memory_ = nullptr;
  mapped_ = false;
}

DoorbellPage::DoorbellPage(Calls& calls, bool for_gpu) : calls_{calls}, uar_{calls.allocate_uar()} {
  if (!uar_.handle)
    throw DeviceError{calls.name(), "mlx5dv_devx_alloc_uar", errno,
                      "out of doorbell pages; fewer queue pairs?"};
  visible_ = uar_.doorbell;
  if (!for_gpu) return;
  // The register lies at an offset in its page; only whole pages are mapped.
  const auto offset = reinterpret_cast<std::uintptr_t>(uar_.doorbell) % page;
  page_ = static_cast<std::byte*>(uar_.doorbell) - offset;
  auto* const mapped = static_cast<std::byte*>(calls_.map_io_page(page_));
  const int code = errno;
  if (!mapped) {
    calls_.free_uar(uar_.handle);
    throw DeviceError{calls.name(), "cudaHostRegister(IoMemory)", code, no_doorbell_mapping};
  }
  visible_ = mapped + offset;
}

DoorbellPage::~DoorbellPage() {
  if (page_) calls_.unmap_io_page(page_);
  calls_.free_uar(uar_.handle);
}

}  // namespace qpcast::hw::mlx5
