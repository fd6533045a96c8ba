/// `--nic mlx5`: a ConnectX by direct verbs, behind the interface that every back end meets. The
/// CPU builds WQEs and rings the doorbell register itself; a GPU does the same through hw/gda.
#pragma once

#include <memory>
#include <string>

#include "hw/nic/mlx5/calls.hpp"
#include "hw/nic/nic.hpp"

namespace qpcast::hw {

class Mlx5Nic final : public Nic {
 public:
  explicit Mlx5Nic(std::shared_ptr<mlx5::Calls> calls) : calls_{std::move(calls)} {}
  std::string kind() const override { return "mlx5"; }
  std::string name() const override { return calls_->name(); }
  std::map<std::string, std::string> environment() const override;
  std::map<std::string, std::uint64_t> error_counters() const override {
    return calls_->error_counters();
  }
  void check_present() override { calls_->check_events(); }
  std::unique_ptr<Region> allocate(std::size_t bytes) override;
  std::unique_ptr<Channel> open(Region& region, const ChannelOptions& options) override;

  /// For queues that a GPU writes.
  mlx5::Calls& calls() { return *calls_; }

 private:
  std::shared_ptr<mlx5::Calls> calls_;
};

}  // namespace qpcast::hw
