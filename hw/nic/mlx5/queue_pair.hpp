/// A ConnectX queue pair whose rings a GPU (or CPU) writes by itself: the control path.
///
/// Rings and doorbell records lie in one user memory, in host memory registered with CUDA, or in
/// GPU memory through dma-buf, else through peermem. The doorbell page is mapped into the GPU as
/// I/O memory. Where the driver refuses, the message names the setting that permits it.
#pragma once

#include <memory>
#include <string>

#include "hw/nic/mlx5/calls.hpp"
#include "model/layout.hpp"

namespace qpcast::hw::mlx5 {

struct QueuePairOptions {
  std::string device;
  std::uint32_t depth = 1024;
  Memory memory = Memory::gpu;
  bool gpu_rings_doorbell = true;  ///< false: a host thread forwards it (cpu-assisted)
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
  /// @throws DeviceError naming the call, the driver's syndrome and what would help
  QueuePair(Calls& calls, const QueuePairOptions& options);
  ~QueuePair();
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  Address address() const;
  void connect(const Address& peer);
  QueueView view() const;

 private:
  class Queues;
  class Doorbell;
  class Object;
  Calls& calls_;
  std::string device_;
  LocalSide local_;
  QueuePlan plan_;
  std::unique_ptr<Queues> queues_;
  std::unique_ptr<Doorbell> doorbell_;
  std::unique_ptr<Object> cq_;  // after the queues, before the queue pair: destroyed in between
  std::unique_ptr<Object> qp_;
};

}  // namespace qpcast::hw::mlx5
