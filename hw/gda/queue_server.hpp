/// Who serves a layout's queue pairs: a CPU thread, a kernel, or an adapter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/nic/emulated/errors.hpp"
#include "hw/nic/emulated/server.hpp"
#include "hw/wqe/address_vector.hpp"

namespace qpcast::hw::gda {

/// For one pass: register and attach everything, start, run, stop.
class QueueServer {
 public:
  virtual ~QueueServer() = default;
  /// @return the key, lkey and rkey alike
  virtual std::uint32_t register_memory(void* address, std::size_t bytes) = 0;
  /// @param memory  of the session, unless this server brings its own and says here where it is
  /// @return the queue number
  virtual std::uint32_t attach(emulated::QueueMemory& memory, std::uint64_t access_key) = 0;
  virtual void connect(std::uint32_t number, std::uint32_t peer) = 0;
  /// What a DC write to queue pair `number` carries.
  virtual wqe::CompactVector route_to(std::uint32_t number, std::uint64_t access_key) {
    return {access_key, number, 0, 0, 0};
  }
  virtual void start() = 0;
  /// Takes everything back. @return what all queue pairs of the pass counted, if the NIC counts
  virtual std::optional<emulated::Counters> stop() = 0;
  /// Completion entries and payload must lie in GPU memory.
  virtual bool in_gpu_memory() const = 0;
  /// Send queues, records, doorbells and completion entries are the server's.
  virtual bool brings_queues() const { return false; }
  /// An error completion in this NIC's words.
  virtual std::string describe(wqe::Syndrome syndrome, std::uint8_t vendor) const {
    return emulated::describe(syndrome, vendor);
  }
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
  std::uint32_t attach(emulated::QueueMemory& memory, std::uint64_t access_key) override {
    return numbers_.emplace_back(server_.attach(memory, access_key));
  }
  void connect(std::uint32_t number, std::uint32_t peer) override { server_.connect(number, peer); }
  void start() override {}
  std::optional<emulated::Counters> stop() override;
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
