/// Who serves a layout's queue pairs: a CPU thread, or a kernel.
#pragma once

#include <memory>
#include <vector>

#include "hw/nic/emulated/server.hpp"

namespace qpcast::hw::gda {

/// For one pass: register and attach everything, start, run, stop.
class QueueServer {
 public:
  virtual ~QueueServer() = default;
  /// @return the key, lkey and rkey alike
  virtual std::uint32_t register_memory(void* address, std::size_t bytes) = 0;
  /// @return the queue number
  virtual std::uint32_t attach(const emulated::QueueMemory& memory, std::uint64_t access_key) = 0;
  virtual void connect(std::uint32_t number, std::uint32_t peer) = 0;
  virtual void start() = 0;
  /// Takes everything back. @return what all queue pairs of the pass counted
  virtual emulated::Counters stop() = 0;
  /// The send queues, their records and completion entries must lie in GPU memory.
  virtual bool in_gpu_memory() const = 0;
};

/// The emulated NIC's thread.
class HostServer final : public QueueServer {
 public:
  explicit HostServer(emulated::Server& server) : server_{server} {}
  ~HostServer() override { release(); }
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;
  std::uint32_t register_memory(void* address, std::size_t bytes) override {
    return keys_.emplace_back(server_.register_memory(address, bytes));
  }
  std::uint32_t attach(const emulated::QueueMemory& memory, std::uint64_t access_key) override {
    return numbers_.emplace_back(server_.attach(memory, access_key));
  }
  void connect(std::uint32_t number, std::uint32_t peer) override { server_.connect(number, peer); }
  void start() override {}
  emulated::Counters stop() override;
  bool in_gpu_memory() const override { return false; }

 private:
  void release();
  emulated::Server& server_;
  std::vector<std::uint32_t> keys_, numbers_;
};

/// A kernel that runs the engine beside the measured one, for queues in GPU memory. It executes;
/// nothing can be imposed on it.
std::unique_ptr<QueueServer> make_gpu_server();

}  // namespace qpcast::hw::gda
