#include "hw/nic/mlx5/queue_pair.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw::mlx5 {

namespace {

constexpr std::size_t page = 4096;
/// A completion entry that the NIC has not written: opcode 0xf, owned by hardware.
constexpr std::uint8_t unwritten_entry = 0xf1;

constexpr const char* no_doorbell_mapping =
    "the driver refuses to map the NIC's doorbell page into the GPU; load the nvidia module with "
    "NVreg_RegistryDwords=\"PeerMappingOverride=1;\", run with CAP_SYS_ADMIN, or measure "
    "submitter=cpu-assisted";
constexpr const char* no_gpu_registration =
    "the NIC can register GPU memory neither by dma-buf (open GPU kernel modules, Linux 5.12) nor "
    "by peermem (modprobe nvidia-peermem); load one, or measure queue_memory=host";

}  // namespace

/// Memory of the rings, registered.
class QueuePair::Queues {
 public:
  Queues(Calls& calls, const std::string& device, Memory memory, const QueuePlan& plan,
         bool for_gpu)
      : calls_{calls}, gpu_{memory == Memory::gpu} {
    if (gpu_) {
      open_gpu(device, plan);
    } else {
      open_host(device, plan, for_gpu);
    }
  }
  ~Queues() { close(); }
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;

  std::uint32_t umem_id() const { return umem_.id; }
  std::byte* address() const { return static_cast<std::byte*>(visible_); }

 private:
  void open_host(const std::string& device, const QueuePlan& plan, bool for_gpu) {
    memory_ = std::aligned_alloc(page, plan.bytes);
    if (!memory_) throw DeviceError{device, "aligned_alloc", ENOMEM, "a smaller depth?"};
    std::fill_n(static_cast<std::uint8_t*>(memory_), plan.bytes, std::uint8_t{0});
    std::fill_n(static_cast<std::uint8_t*>(memory_) + plan.completion_queue,
                plan.cq_record - plan.completion_queue, unwritten_entry);
    visible_ = for_gpu ? calls_.map_host(memory_, plan.bytes) : memory_;
    mapped_ = for_gpu && visible_;
    if (visible_) umem_ = calls_.register_memory(memory_, plan.bytes);
    const int code = errno;
    if (umem_.handle) return;
    const bool refused_gpu = !visible_;
    close();
    throw DeviceError{device, refused_gpu ? "cudaHostRegister" : "mlx5dv_devx_umem_reg", code,
                      refused_gpu
                          ? "the GPU cannot reach host memory; is CUDA in this build?"
                          : "is 'ulimit -l' large enough, and DEVX permitted (CAP_NET_RAW)?"};
  }

  void open_gpu(const std::string& device, const QueuePlan& plan) {
    memory_ = visible_ = calls_.allocate_gpu(plan.bytes);
    if (!memory_) throw DeviceError{device, "cudaMalloc", errno, "is CUDA in this build?"};
    auto* const bytes = static_cast<std::uint8_t*>(memory_);
    const bool filled = calls_.fill_gpu(bytes, 0, plan.bytes) == 0 &&
                        calls_.fill_gpu(bytes + plan.completion_queue, unwritten_entry,
                                        plan.cq_record - plan.completion_queue) == 0;
    if (filled) register_gpu(plan.bytes);
    const int code = errno;
    if (umem_.handle) return;
    close();
    throw DeviceError{device, filled ? "register GPU memory" : "cudaMemset", code,
                      filled ? no_gpu_registration : "see the GPU's error log"};
  }

  void register_gpu(std::size_t bytes) {
    const int descriptor = calls_.export_dmabuf(memory_, bytes);
    if (descriptor >= 0) {
      umem_ = calls_.register_dmabuf(descriptor, bytes);
      ::close(descriptor);  // the registration holds its own reference
    }
    if (!umem_.handle) umem_ = calls_.register_memory(memory_, bytes);
  }

  void close() {
    if (umem_.handle) calls_.deregister(umem_.handle);
    if (mapped_) calls_.unmap_host(memory_);
    if (gpu_ && memory_) calls_.free_gpu(memory_);
    if (!gpu_) std::free(memory_);
    umem_ = {};
    memory_ = nullptr;
    mapped_ = false;
  }

  Calls& calls_;
  bool gpu_;
  void* memory_ = nullptr;
  void* visible_ = nullptr;
  bool mapped_ = false;
  Umem umem_;
};

/// The doorbell page, mapped into the GPU if that is who rings.
class QueuePair::Doorbell {
 public:
  Doorbell(Calls& calls, const std::string& device, bool for_gpu)
      : calls_{calls}, uar_{calls.allocate_uar()} {
    if (!uar_.handle)
      throw DeviceError{device, "mlx5dv_devx_alloc_uar", errno, "out of doorbells?"};
    visible_ = uar_.doorbell;
    if (!for_gpu) return;
    // The register lies at an offset in its page; only whole pages are mapped.
    const auto offset = reinterpret_cast<std::uintptr_t>(uar_.doorbell) % page;
    page_ = static_cast<std::byte*>(uar_.doorbell) - offset;
    auto* const mapped = static_cast<std::byte*>(calls_.map_io_page(page_));
    const int code = errno;
    if (!mapped) {
      calls_.free_uar(uar_.handle);
      throw DeviceError{device, "cudaHostRegister(IoMemory)", code, no_doorbell_mapping};
    }
    visible_ = mapped + offset;
  }
  ~Doorbell() {
    if (page_) calls_.unmap_io_page(page_);
    calls_.free_uar(uar_.handle);
  }
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;
  std::uint32_t page_number() const { return uar_.page; }
  void* address() const { return visible_; }

 private:
  Calls& calls_;
  Uar uar_;
  std::byte* page_ = nullptr;
  void* visible_ = nullptr;
};

/// A CQ or QP of the firmware.
class QueuePair::Object {
 public:
  Object(Calls& calls, const std::string& device, const char* what, const Command& command)
      : calls_{calls} {
    Command answer{answer_bytes};
    handle_ = calls_.create(command.bytes(), answer.bytes());
    if (!handle_) fail(device, what, errno, answer);
    number_ = static_cast<std::uint32_t>(answer.get(object_number));
  }
  ~Object() { calls_.destroy(handle_); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  std::uint32_t number() const { return number_; }
  void modify(const std::string& device, const char* what, const Command& command) {
    Command answer{answer_bytes};
    if (calls_.modify(handle_, command.bytes(), answer.bytes()) != 0)
      fail(device, what, errno, answer);
  }

 private:
  [[noreturn]] static void fail(const std::string& device, const char* what, int code,
                                const Command& answer) {
    throw DeviceError{device, what, code,
                      fmt::format("firmware status {:#x}, syndrome {:#010x}", answer.get(status),
                                  answer.get(syndrome))};
  }
  Calls& calls_;
  Handle handle_ = nullptr;
  std::uint32_t number_ = 0;
};

QueuePair::QueuePair(Calls& calls, const QueuePairOptions& options)
    : calls_{calls},
      device_{options.device},
      local_{calls.local_side()},
      plan_{plan_queues(options.depth)} {
  const bool gpu = options.memory == Memory::gpu || options.gpu_rings_doorbell;
  queues_ = std::make_unique<Queues>(calls, device_, options.memory, plan_, gpu);
  doorbell_ = std::make_unique<Doorbell>(calls, device_, options.gpu_rings_doorbell);
  local_.umem_id = queues_->umem_id();
  local_.uar_page = doorbell_->page_number();
  cq_ = std::make_unique<Object>(calls, device_, "CREATE_CQ", create_cq(local_, plan_));
  qp_ = std::make_unique<Object>(calls, device_, "CREATE_QP",
                                 create_qp(local_, plan_, cq_->number()));
  qp_->modify(device_, "RST2INIT_QP", reset_to_init(local_, qp_->number()));
}

QueuePair::~QueuePair() = default;

Address QueuePair::address() const {
  Address address;
  address.qp_number = qp_->number();
  address.packet_number = local_.packet_number;
  address.mtu_code = local_.mtu_code;
  address.lid = local_.lid;
  address.gid = local_.gid;
  return address;
}

void QueuePair::connect(const Address& peer) {
  Mac mac{};
  if (local_.ethernet && calls_.resolve_mac(peer, mac) != 0)
    throw DeviceError{device_, "ibv_create_ah", errno, "is the peer's GID reachable (-x)?"};
  qp_->modify(device_, "INIT2RTR_QP", init_to_rtr(local_, qp_->number(), peer, mac));
  qp_->modify(device_, "RTR2RTS_QP", rtr_to_rts(local_, qp_->number()));
}

QueueView QueuePair::view() const {
  auto* const base = queues_->address();
  const auto record = [&](std::uint64_t offset) {
    return reinterpret_cast<std::uint32_t*>(base + offset);
  };
  return {base + plan_.send_queue, base + plan_.completion_queue,
          record(plan_.cq_record), record(plan_.qp_record),
          doorbell_->address(),    qp_->number(),
          cq_->number(),           plan_.log_depth};
}

}  // namespace qpcast::hw::mlx5
