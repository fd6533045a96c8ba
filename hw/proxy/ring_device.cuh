/// The GPU's end of a descriptor ring (host half: ring.hpp). The ring is host memory mapped into
/// the GPU; `reserved` of a baseline ring is GPU memory.
///
///   baseline   atomic reservation on the device, a PCIe read of the worker's progress for every
///              descriptor, a system-scope fence before the half that makes it valid
///   tuned      one thread owns the ring: tail and last seen progress in registers, and one posted
///              16 B store that hands the descriptor over
#pragma once

#include <cstdint>

#include "hw/proxy/descriptor.hpp"

namespace qpcast::hw::device {

struct RingOnDevice {
  Descriptor* slots;
  std::uint64_t capacity;         ///< a power of two
  unsigned long long* reserved;   ///< GPU memory
  const std::uint64_t* consumed;  ///< host memory, written by the worker
};

/// Reads of the worker's progress before a full ring is given up: about a second over PCIe.
inline constexpr std::uint32_t patience_reads = 1U << 20;

__device__ inline std::uint64_t load_progress(const std::uint64_t* consumed) {
  return *static_cast<const volatile std::uint64_t*>(consumed);
}

/// Waits until slot `index` is free. @return false when the worker makes no room
__device__ inline bool await_room(const RingOnDevice& ring, std::uint64_t index,
                                  std::uint64_t& consumed) {
  for (std::uint32_t read = 0; index - consumed >= ring.capacity; ++read) {
    if (read == patience_reads) return false;
    consumed = load_progress(ring.consumed);
  }
  return true;
}

__device__ inline bool push_baseline(const RingOnDevice& ring, const Request& request) {
  const std::uint64_t index = atomicAdd(ring.reserved, 1ULL);
  std::uint64_t consumed = load_progress(ring.consumed);
  if (!await_room(ring, index, consumed)) return false;
  const auto descriptor = encode(request, lap_of(index, ring.capacity));
  volatile auto* const slot = &ring.slots[index & (ring.capacity - 1)];
  slot->second = descriptor.second;
  __threadfence_system();
  slot->first = descriptor.first;
  return true;
}

/// The owner's registers.
struct TunedTail {
  std::uint64_t tail = 0;
  std::uint64_t consumed = 0;
  std::uint64_t lap = 1;  ///< lap_of(tail): kept, since two 64-bit divisions cost more than a store
};

__device__ inline bool push_tuned(const RingOnDevice& ring, TunedTail& own,
                                  const Request& request) {
  if (!await_room(ring, own.tail, own.consumed)) return false;
  const auto descriptor = encode(request, own.lap);
  auto* const slot = reinterpret_cast<ulonglong2*>(&ring.slots[own.tail & (ring.capacity - 1)]);
  // Written through: the worker polls host memory, so that a cached line would never arrive.
  __stwt(slot, make_ulonglong2(descriptor.first, descriptor.second));
  if ((++own.tail & (ring.capacity - 1)) == 0) own.lap = own.lap == 255 ? 1 : own.lap + 1;
  return true;
}

}  // namespace qpcast::hw::device
