/// Loads and stores that both sides of a queue see in order: a submitter on a CPU or GPU, and the
/// emulated NIC on either. A NIC on a GPU serves submitters on that GPU, and its fences reach no
/// further but for the doorbell, which a CPU may ring for them.
#pragma once

#include <cstdint>
#include <cstring>

#include "hw/wqe/target.hpp"

namespace qpcast::hw::emulated {

/// Memory at an address that a WQE or a registration carries as a number.
template <class Value>
QPCAST_HOST_DEVICE inline Value* memory_at(std::uint64_t address) {
  return reinterpret_cast<Value*>(address);  // NOLINT(performance-no-int-to-ptr)
}

template <class Word>
QPCAST_HOST_DEVICE inline Word load_acquire(const Word* from) {
#ifdef __CUDA_ARCH__
  const Word value = *static_cast<const volatile Word*>(from);
  __threadfence();
  return value;
#else
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
#endif
}

/// Between a doorbell that is new and what it announces.
QPCAST_HOST_DEVICE inline void behind_a_doorbell() {
#ifdef __CUDA_ARCH__
  __threadfence_system();
#endif
}

template <class Word>
QPCAST_HOST_DEVICE inline void store_release(Word* to, Word value) {
#ifdef __CUDA_ARCH__
  __threadfence();
  *static_cast<volatile Word*>(to) = value;
#else
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
#endif
}

/// @return the old value
QPCAST_HOST_DEVICE inline std::uint64_t add_atomically(std::uint64_t* to, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  return atomicAdd(reinterpret_cast<unsigned long long*>(to), value);
#else
  return __atomic_fetch_add(to, value, __ATOMIC_ACQ_REL);
#endif
}

/// Copies a payload. A NIC writes an aligned word whole, so that a reader may poll for it.
QPCAST_HOST_DEVICE inline void copy_bytes(void* to, const void* from, std::uint32_t bytes) {
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const bool words = addresses % sizeof(std::uint64_t) == 0;
  if (words && bytes == sizeof(std::uint64_t)) {
    store_release(static_cast<std::uint64_t*>(to),
                  load_acquire(static_cast<const std::uint64_t*>(from)));
    return;
  }
#ifdef __CUDA_ARCH__
  std::uint32_t at = 0;
  for (; words && at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t))
    *reinterpret_cast<std::uint64_t*>(static_cast<char*>(to) + at) =
        *reinterpret_cast<const std::uint64_t*>(static_cast<const char*>(from) + at);
  for (; at < bytes; ++at) static_cast<char*>(to)[at] = static_cast<const char*>(from)[at];
#else
  std::memmove(to, from, bytes);
#endif
}

}  // namespace qpcast::hw::emulated
