/// mini-proxy: T workers serve R descriptor rings over Q queue pairs.
///
/// Queue pair q belongs to worker q mod T, ring r goes through queue pair r mod Q, so that a
/// ring's requests stay in order. Works over any back end's channels. A worker's failure, a stall
/// or an interrupt surfaces in `check` and `wait`, never as a hang.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "hw/interrupted.hpp"
#include "hw/proxy/backoff.hpp"
#include "hw/proxy/worker.hpp"

namespace qpcast::hw {

struct ProxyOptions {
  std::uint32_t workers = 1;
  std::uint32_t rings = 1;
  std::uint64_t ring_capacity = 1024;  ///< descriptors, a power of two
  WorkerOptions worker;
  bool shared_refcount = false;
  std::pmr::memory_resource* ring_memory = std::pmr::new_delete_resource();
  std::vector<int> cpus;  ///< worker i is bound to cpus[i mod size]; empty: not bound
  std::chrono::milliseconds patience{5000};  ///< without progress before it is an error
  const std::atomic<bool>* interrupted = nullptr;
};

class Proxy {
 public:
  /// @param channels  connected, one per queue pair; they outlive the proxy
  /// @throws InputError when T, R and Q do not fit together
  Proxy(std::span<Channel* const> channels, const ProxyOptions& options);
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;
  /// Stops the workers. Requests still outstanding are abandoned.
  ~Proxy();

  RingView ring(std::size_t index) { return rings_[index]->view(); }
  std::size_t rings() const { return rings_.size(); }
  bool pinned() const { return pinned_.load(); }

  /// Rethrows a worker's failure; throws Interrupted when asked to stop.
  void check() const;

  /// Waits until `ring` has completed `count` requests since it was made.
  /// @throws DeviceError naming the worker when nothing moved for the patience
  void wait(std::size_t ring, std::uint64_t count);

  /// Pushes, waiting for space. @throws DeviceError when the ring stays full for the patience
  template <class Producer>
  void push(Producer& producer, std::size_t ring, const Request& request) {
    if (!producer.try_push(request)) push_slowly(producer, ring, request);
  }

 private:
  struct Seat {
    std::unique_ptr<Worker> worker;
    std::jthread thread;
  };
  void start(std::span<Channel* const> channels);
  void serve(std::size_t seat, const std::stop_token& stop);
  /// Progress of one ring, watched by the thread that waits for it.
  struct Watch {
    std::uint64_t completed = 0, consumed = 0, heartbeat = 0;
    std::chrono::steady_clock::time_point since{};
  };
  Watch look(std::size_t ring) const;
  std::size_t seat_of(std::size_t ring) const { return ring % queue_pairs_ % seats_.size(); }
  void expect_progress(std::size_t ring, Watch& watch, const char* waiting_for) const;
  [[noreturn]] void give_up(std::size_t ring, const char* waiting_for) const;

  template <class Producer>
  void push_slowly(Producer& producer, std::size_t ring, const Request& request) {
    auto watch = look(ring);
    for (Backoff backoff; !producer.try_push(request); backoff.pause())
      expect_progress(ring, watch, "space");
  }

  ProxyOptions options_;
  std::size_t queue_pairs_;
  std::atomic<std::uint64_t> refcount_{1};
  std::atomic<bool> pinned_{false};
  std::atomic<bool> failed_{false};
  mutable std::mutex failure_lock_;
  std::exception_ptr failure_;
  std::vector<std::unique_ptr<Ring>> rings_;
  std::vector<Seat> seats_;  // last: threads stop before what they use goes
};

}  // namespace qpcast::hw
