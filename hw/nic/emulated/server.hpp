/// The emulated NIC as a thread of this process: owns registrations and queue pair contexts, and
/// serves the queue pairs in turn.
///
/// The queues themselves belong to whoever attaches them: a CPU submitter's in its own memory, a
/// GPU's in pinned host memory (WQEs, records and doorbells that cross PCIe as on a real NIC). The
/// thread is the only one that touches contexts while it runs a pass; every call here waits for the
/// pass to end.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "hw/affinity.hpp"
#include "hw/nic/emulated/adapter.hpp"
#include "hw/nic/emulated/context_cache.hpp"
#include "hw/nic/emulated/imposed.hpp"
#include "hw/nic/emulated/pacer.hpp"

namespace qpcast::hw::emulated {

class Server {
 public:
  explicit Server(const Imposed& imposed);
  ~Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// @return the key, lkey and rkey alike. @throws DeviceError when there are too many
  std::uint32_t register_memory(void* address, std::size_t bytes, bool remote_access = true);
  void deregister(std::uint32_t key);

  /// Takes a queue pair. Its memory must stay until detach(). @return the queue number
  /// @throws DeviceError for a memory layout that no adapter takes
  std::uint32_t attach(const QueueMemory& memory, std::uint64_t access_key = 0);
  /// Sends from `number` arrive at `peer`; the same number is a loopback. Not for DC initiators.
  void connect(std::uint32_t number, std::uint32_t peer);
  /// The NIC does not touch the queue's memory any more once this returns.
  void detach(std::uint32_t number);

  /// The thread is bound to processor `cpu` from now on.
  void run_on(int cpu) { pin_thread(thread_.native_handle(), cpu); }

  /// Lets a fault strike now, on this queue pair or, of a removed device, on all.
  void inject(Fault fault, std::uint32_t number);

  Event event(std::uint32_t number) const;
  bool removed() const { return removed_; }
  Counters counters(std::uint32_t number);
  /// Of every queue pair there has been.
  Counters counters();
  const Imposed& imposed() const { return imposed_; }

 private:
  class Control;
  void run(const std::stop_token& stop);
  bool pass();
  bool pass_paced();
  bool visit(Queue& queue);
  std::optional<std::uint32_t> serve_turn(Queue& queue);
  bool strike(Queue& queue);
  void break_queue(Queue& queue, Fault fault);
  Queue& queue(std::uint32_t number);
  double now() const;

  /// Messages of one queue pair that are served before the next one's turn.
  static constexpr std::uint32_t burst = 32;
  static constexpr std::uint32_t most_queues = 4096;
  static constexpr std::uint32_t most_registrations = 4096;
  Imposed imposed_;
  std::unique_ptr<Registration[]> registrations_;
  std::unique_ptr<Queue[]> queues_;
  Adapter adapter_;
  std::vector<std::uint32_t> active_;  ///< slots, in the order in which they are visited
  std::size_t turn_ = 0;               ///< in active_, when a rate or a cache is imposed
  std::uint32_t left_ = burst;         ///< messages of this turn
  std::uint32_t generation_ = 0;
  std::uint64_t served_ = 0;
  bool fault_pending_;
  Counters detached_;
  Pacer pacer_;
  ContextCache cache_;
  std::mutex pass_;
  std::atomic<int> waiting_{0};
  std::atomic<bool> removed_{false};
  std::jthread thread_;  // last: it uses everything above
};

}  // namespace qpcast::hw::emulated
