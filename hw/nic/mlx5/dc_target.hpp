/// A DC target: what any DC initiator that knows its number and access key may write through.
///
/// Nothing is received, but the target must have a receive queue and a completion queue.
#pragma once

#include <optional>

#include "hw/nic/mlx5/calls.hpp"
#include "hw/nic/mlx5/object.hpp"
#include "hw/nic/mlx5/rings.hpp"

namespace qpcast::hw::mlx5 {

class DcTarget {
 public:
  /// @throws DeviceError naming the call, its errno or syndrome, and what would help
  DcTarget(Calls& calls, std::uint64_t access_key);
  std::uint32_t number() const { return dct_->number(); }
  std::uint16_t lid() const { return local_.lid; }

 private:
  class Receive {
   public:
    explicit Receive(Calls& calls);
    ~Receive() { calls_.destroy_receive_queue(queue_.handle); }
    Receive(const Receive&) = delete;
    Receive& operator=(const Receive&) = delete;
    std::uint32_t number() const { return queue_.number; }

   private:
    Calls& calls_;
    ReceiveQueue queue_;
  };
  LocalSide local_;
  QueuePlan plan_;
  Rings rings_;
  DoorbellPage doorbell_;
  Receive receive_;
  std::optional<Object> cq_, dct_;  // destroyed before what they use
};

}  // namespace qpcast::hw::mlx5
