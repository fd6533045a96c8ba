/// A ConnectX queue pair whose rings a GPU (or CPU) writes by itself: the control path.
///
/// Rings and doorbell records lie in one user memory, in host memory registered with CUDA, or in
/// GPU memory through dma-buf, else through peermem. The doorbell page is mapped into the GPU as
/// I/O memory. Where the driver refuses, the message names the setting that permits it.
#pragma once

#include <optional>

#include "hw/nic/mlx5/calls.hpp"
#include "hw/nic/mlx5/object.hpp"
#include "hw/nic/mlx5/rings.hpp"
#include "model/layout.hpp"

namespace qpcast::hw::mlx5 {

struct QueuePairOptions {
  std::uint32_t depth = 1024;  ///< blocks of 64 B
  Memory memory = Memory::gpu;
  bool gpu_rings_doorbell = true;  ///< false: a host thread rings (submitter=host, cpu-assisted)
  Completions completions = Completions::collapsed;
  Transport transport = Transport::rc;
};

/// What a submitter needs, as addresses in its own address space.
struct QueueView {
  std::byte* send_queue = nullptr;
  std::byte* completion_queue = nullptr;
  std::uint32_t* cq_record = nullptr;
  std::uint32_t* qp_record = nullptr;
  void* doorbell = nullptr;
  std::uint32_t qpn = 0, cqn = 0, log_depth = 0;
};

class QueuePair {
 public:
  /// @throws DeviceError naming the call, its errno or syndrome, and what would help
  QueuePair(Calls& calls, const QueuePairOptions& options);

  Address address() const;
  /// Reliable connected: to ready-to-send towards `peer`.
  void connect(const Address& peer);
  /// DC initiator: to ready-to-send; its WQEs say where to.
  void activate();
  bool in_error() const;
  QueueView view() const;

 private:
  Calls& calls_;
  LocalSide local_;
  QueuePlan plan_;
  Rings rings_;
  DoorbellPage doorbell_;
  std::optional<Object> cq_, qp_;  // destroyed before what they use, the queue pair first
};

}  // namespace qpcast::hw::mlx5
