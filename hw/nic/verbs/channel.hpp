/// One reliable connected queue pair with its own completion queue.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hw/nic/idle_watch.hpp"
#include "hw/nic/nic.hpp"
#include "hw/nic/verbs/handles.hpp"

namespace qpcast::hw::verbs {

/// What the channels of one device share.
struct Device {
  std::string name;
  Context context;
  Pd pd;
  ibv_port_attr port{};
  int port_number = 1;
  int gid_index = 0;
  ibv_gid gid{};
};

class VerbsRegion final : public Region {
 public:
  VerbsRegion(std::shared_ptr<Device> device, std::size_t bytes);
  std::span<std::byte> bytes() override { return {memory_.get(), size_}; }
  const ibv_mr& registration() const { return *mr_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::shared_ptr<Device> device_;
  std::size_t size_;
  std::unique_ptr<std::byte[], Free> memory_;
  Mr mr_;
};

class VerbsChannel final : public Channel {
 public:
  VerbsChannel(std::shared_ptr<Device> device, VerbsRegion& region, const ChannelOptions& options);
  Address address() const override;
  void connect(const Address& peer) override;
  void post(std::span<const WorkRequest> chain) override;
  std::size_t poll(std::span<Completed> completions) override;

 private:
  void to_init();
  void to_ready_to_receive(const Address& peer);
  void to_ready_to_send();
  void fill(std::size_t i, const WorkRequest& request);
  [[noreturn]] void fail(const ibv_wc& entry) const;

  std::shared_ptr<Device> device_;
  VerbsRegion& region_;
  ChannelOptions options_;
  std::uint32_t packet_number_;
  Cq cq_;  // outlives the queue pair that reports to it
  Qp qp_;
  Address peer_;
  std::vector<ibv_send_wr> requests_;
  std::vector<ibv_sge> segments_;
  std::vector<ibv_wc> completions_;
  IdleWatch idle_;
};

}  // namespace qpcast::hw::verbs
