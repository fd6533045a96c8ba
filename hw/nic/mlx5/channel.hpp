/// A CPU submitter's queue pair on a ConnectX: queues in its own memory, doorbell by a store.
#pragma once

#include <cstdlib>
#include <memory>

#include "hw/nic/direct/direct_queue.hpp"
#include "hw/nic/idle_watch.hpp"
#include "hw/nic/mlx5/queue_pair.hpp"

namespace qpcast::hw::mlx5 {

/// Registered host memory.
class Mlx5Region final : public Region {
 public:
  Mlx5Region(std::shared_ptr<Calls> calls, std::size_t bytes);
  ~Mlx5Region() override { calls_->deregister_region(registration_.handle); }
  Mlx5Region(const Mlx5Region&) = delete;
  Mlx5Region& operator=(const Mlx5Region&) = delete;
  std::span<std::byte> bytes() override { return {memory_.get(), size_}; }
  const Registration& registration() const { return registration_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::shared_ptr<Calls> calls_;               ///< of the device; outlives what it registered
  std::size_t size_;                           ///< B, whole pages
  std::unique_ptr<std::byte[], Free> memory_;  ///< page-aligned
  Registration registration_;                  ///< its keys, and what takes it back
};

/// One RC queue pair with a completion queue of its own.
class Mlx5Channel final : public Channel {
 public:
  Mlx5Channel(std::shared_ptr<Calls> calls, Mlx5Region& region, const ChannelOptions& options);
  Address address() const override;
  void connect(const Address& peer) override;
  void post(std::span<const WorkRequest> chain) override;
  std::size_t poll(std::span<Completed> completions) override;

 private:
  direct::DirectQueue direct(const ChannelOptions& options) const;
  void check_events();

  std::shared_ptr<Calls> calls_;  ///< of the device; outlives the queue pair
  Mlx5Region& region_;            ///< where writes come from and arrive
  QueuePair qp_;                  ///< the device's objects, and the memory of the queues
  direct::DirectQueue queue_;     ///< writes WQEs into that memory and reads completions
  IdleWatch idle_;                ///< says when empty polls are a reason to look for events
};

}  // namespace qpcast::hw::mlx5
