/// What a queue pair's submitter and the NIC share: the rings with their doorbell records, in one
/// registered user memory, and the page with the doorbell register.
#pragma once

#include "hw/nic/mlx5/calls.hpp"
#include "model/layout.hpp"

namespace qpcast::hw::mlx5 {

/// Memory of the rings, registered. Errors: DeviceError, saying which setting permits what the
/// driver refuses.
class Rings {
 public:
  /// @param for_gpu  host memory that a GPU reaches too
  Rings(Calls& calls, Memory memory, const QueuePlan& plan, bool for_gpu);
  ~Rings() { close(); }
  Rings(const Rings&) = delete;
  Rings& operator=(const Rings&) = delete;

  std::uint32_t umem_id() const { return umem_.id; }
  /// As the submitter addresses it: the GPU, where that is one.
  std::byte* address() const { return static_cast<std::byte*>(visible_); }

 private:
  void open_host(const QueuePlan& plan, bool for_gpu);
  void open_gpu(const QueuePlan& plan);
  void register_gpu(std::size_t bytes);
  void close();

  Calls& calls_;
  bool gpu_;
  void* memory_ = nullptr;
  void* visible_ = nullptr;
  bool mapped_ = false;
  Umem umem_;
};

/// The doorbell page, mapped into the GPU if that is who rings.
class DoorbellPage {
 public:
  DoorbellPage(Calls& calls, bool for_gpu);
  ~DoorbellPage();
  DoorbellPage(const DoorbellPage&) = delete;
  DoorbellPage& operator=(const DoorbellPage&) = delete;
  std::uint32_t number() const { return uar_.page; }
  /// The register, as the submitter addresses it.
  void* address() const { return visible_; }

 private:
  Calls& calls_;
  Uar uar_;
  std::byte* page_ = nullptr;
  void* visible_ = nullptr;
};

/// What the NIC and the GPU need to agree before GPU memory can be registered; for messages.
extern const char* const no_gpu_registration;

}  // namespace qpcast::hw::mlx5
