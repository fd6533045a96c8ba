/// A CPU submitter's queue pair on a ConnectX: queues in its own memory, doorbell by a store.
#pragma once

#include <cstdlib>
#include <memory>

#include "hw/nic/direct/direct_queue.hpp"
#include "hw/nic/idle_watch.hpp"
#include "hw/nic/mlx5/queue_pair.hpp"

namespace qpcast::hw::mlx5 {

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
  std::shared_ptr<Calls> calls_;
  std::size_t size_;
  std::unique_ptr<std::byte[], Free> memory_;
  Registration registration_;
};

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

  std::shared_ptr<Calls> calls_;
  Mlx5Region& region_;
  QueuePair qp_;
  direct::DirectQueue queue_;
  IdleWatch idle_;
};

}  // namespace qpcast::hw::mlx5
