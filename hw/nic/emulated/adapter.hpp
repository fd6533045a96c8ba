/// What one emulated NIC knows: its memory registrations and its queue pairs.
#pragma once

#include "hw/nic/emulated/queue.hpp"

namespace qpcast::hw::emulated {

/// A memory region. One key serves as lkey and rkey.
struct Registration {
  std::uint64_t address = 0, bytes = 0;
  std::uint32_t key = 0;  ///< slot + 1 in the high 24 bits, as an mkey; 0: none
  bool remote_write = false, remote_atomic = false;
};

/// Arrays of fixed size, so that an entry is found by its number and never moves.
struct Adapter {
  Registration* registrations = nullptr;
  std::uint32_t registration_count = 0;
  Queue* queues = nullptr;
  std::uint32_t queue_count = 0;  ///< a power of two
};

QPCAST_HOST_DEVICE inline const Registration* find_registration(const Adapter& adapter,
                                                                std::uint32_t key) {
  const std::uint32_t slot = (key >> 8) - 1;
  if (key == 0 || slot >= adapter.registration_count) return nullptr;
  const Registration& registration = adapter.registrations[slot];
  return registration.key == key ? &registration : nullptr;
}

/// A queue number's low bits are its slot, the others count the slot's owners, so that the number
/// of a queue that is gone is not taken for its successor's.
QPCAST_HOST_DEVICE inline Queue* find_queue(const Adapter& adapter, std::uint32_t number) {
  Queue& queue = adapter.queues[number & (adapter.queue_count - 1)];
  return queue.condition != Condition::absent && queue.send.qpn == number ? &queue : nullptr;
}

QPCAST_HOST_DEVICE inline bool inside(const Registration& registration, std::uint64_t address,
                                      std::uint64_t bytes) {
  return address >= registration.address && bytes <= registration.bytes &&
         address - registration.address <= registration.bytes - bytes;
}

}  // namespace qpcast::hw::emulated
