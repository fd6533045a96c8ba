/// `--nic emulated`: the NIC in software behind the interface that every back end meets.
#pragma once

#include <memory>

#include "hw/nic/emulated/server.hpp"
#include "hw/nic/nic.hpp"

namespace qpcast::hw {

class EmulatedNic final : public Nic {
 public:
  explicit EmulatedNic(const emulated::Imposed& imposed = {});
  std::string kind() const override { return "emulated"; }
  /// Says what is imposed, so that rows of different pretences do not share a file.
  std::string name() const override;
  std::map<std::string, std::string> environment() const override;
  std::map<std::string, std::uint64_t> error_counters() const override;
  bool writes_payload() const override { return imposed_.mode == emulated::Mode::execute; }
  void check_present() override;
  void run_on(int cpu) override { server_->run_on(cpu); }
  std::unique_ptr<Region> allocate(std::size_t bytes) override;
  std::unique_ptr<Channel> open(Region& region, const ChannelOptions& options) override;

  /// For queues that a GPU writes, and for faults.
  emulated::Server& server() { return *server_; }

 private:
  emulated::Imposed imposed_;
  std::shared_ptr<emulated::Server> server_;
};

}  // namespace qpcast::hw
