/// A descriptor ring in host memory, and the two ways a CPU producer hands descriptors over.
/// The GPU's half is ring_device.cuh.
///
///   baseline   any number of producers: atomic reservation, a read of the worker's progress for
///              every descriptor, a full (system-scope) fence before the descriptor becomes valid
///   tuned      one producer: plain tail, cached progress, validity inside the descriptor
///
/// A ring holds `capacity` descriptors, a power of two. The worker's `consumed` frees slots; its
/// `completed` counts requests that the NIC has finished, in order, per ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <span>

#include "hw/cache_lines.hpp"
#include "hw/proxy/descriptor.hpp"

namespace qpcast::hw {

/// Where a ring lives; the memory belongs to someone else.
struct RingView {
  Descriptor* slots = nullptr;
  std::uint64_t capacity = 0;
  std::uint64_t* reserved = nullptr;   ///< baseline producers share it
  std::uint64_t* consumed = nullptr;   ///< written by the worker
  std::uint64_t* completed = nullptr;  ///< written by the worker; host memory, or the GPU's mapped
};

/// Ring memory on the host, each counter on cache lines of its own.
class Ring {
 public:
  /// @param memory  where slots and counters lie
  /// @throws InputError unless capacity is a power of two from 2 to 2^20
  explicit Ring(std::uint64_t capacity,
                std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  RingView view();

 private:
  struct alignas(lines_apart) Counter {
    std::uint64_t value = 0;
  };
  struct Counters {
    Counter reserved, consumed, completed;
  };
  std::size_t bytes() const { return sizeof(Counters) + capacity_ * sizeof(Descriptor); }
  std::uint64_t capacity_;
  std::pmr::memory_resource* memory_;
  Counters* counters_;  ///< the slots follow
};

/// Requests that the NIC has finished.
inline std::uint64_t completed(const RingView& ring) {
  return std::atomic_ref{*ring.completed}.load(std::memory_order_acquire);
}

/// The baseline handoff.
class BaselineProducer {
 public:
  explicit BaselineProducer(RingView ring) : ring_{ring} {}
  /// @return false when the ring is full
  bool try_push(const Request& request);

 private:
  RingView ring_;
};

/// The tuned handoff: the only producer of its ring.
class TunedProducer {
 public:
  explicit TunedProducer(RingView ring) : ring_{ring} {}
  /// @return false when the ring is full
  bool try_push(const Request& request);

 private:
  RingView ring_;
  std::uint64_t tail_ = 0;
  std::uint64_t known_consumed_ = 0;
};

/// The worker's end.
class Consumer {
 public:
  explicit Consumer(RingView ring) : ring_{ring} {}
  /// Takes up to requests.size() descriptors in order. @return how many
  std::size_t pop(std::span<Request> requests);
  /// The next descriptor is there.
  bool waiting() const;
  /// Counts `count` more requests as completed.
  void complete(std::uint64_t count);
  std::uint64_t taken() const { return head_; }

 private:
  Descriptor load(std::uint64_t index) const;
  RingView ring_;
  std::uint64_t head_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace qpcast::hw
