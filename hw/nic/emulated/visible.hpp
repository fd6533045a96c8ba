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

/// One store of the whole word, ordered behind nothing on a GPU: whoever polls for it needs no
/// more.
QPCAST_HOST_DEVICE inline void store_whole(std::uint64_t* to, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  *static_cast<volatile std::uint64_t*>(to) = value;
#else
  store_release(to, value);
#endif
}

#ifdef __CUDA_ARCH__
/// A thread's copy: four 16 B loads are under way before the first is stored.
/// @return bytes copied, a multiple of 64; both ends are 16 B aligned
__device__ inline std::uint32_t copy_vectors(void* to, const void* from, std::uint32_t bytes) {
  constexpr std::uint32_t vectors = 4;
  auto* target = static_cast<uint4*>(to);
  const auto* source = static_cast<const uint4*>(from);
  std::uint32_t at = 0;
  for (; at + vectors * sizeof(uint4) <= bytes; at += vectors * sizeof(uint4)) {
    const uint4 first = source[0], second = source[1], third = source[2], fourth = source[3];
    target[0] = first;
    target[1] = second;
    target[2] = third;
    target[3] = fourth;
    source += vectors;
    target += vectors;
  }
  return at;
}
#endif

/// Copies a payload. A NIC writes an aligned word whole, so that a reader may poll for it.
QPCAST_HOST_DEVICE inline void copy_bytes(void* to, const void* from, std::uint32_t bytes) {
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  const bool words = addresses % sizeof(std::uint64_t) == 0;
#ifdef __CUDA_ARCH__
  std::uint32_t at = addresses % sizeof(uint4) == 0 ? copy_vectors(to, from, bytes) : 0;
  for (; words && at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t))
    store_whole(
        reinterpret_cast<std::uint64_t*>(static_cast<char*>(to) + at),
        *reinterpret_cast<const volatile std::uint64_t*>(static_cast<const char*>(from) + at));
  for (; at < bytes; ++at) static_cast<char*>(to)[at] = static_cast<const char*>(from)[at];
#else
  if (words && bytes == sizeof(std::uint64_t))
    store_whole(static_cast<std::uint64_t*>(to),
                load_acquire(static_cast<const std::uint64_t*>(from)));
  else
    std::memmove(to, from, bytes);
#endif
}

}  // namespace qpcast::hw::emulated
