/// Stores to a NIC's doorbell register, which is I/O memory and, on x86, write-combining.
///
/// What the NIC will fetch must be visible to it before the doorbell; the doorbell must not linger
/// in a write-combining buffer. The same two barriers as rdma-core's udma_to_device_barrier and
/// mmio_flush_writes.
#pragma once

#include <cstdint>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

namespace qpcast::hw::direct {

/// Everything stored before is visible to the device before anything stored after.
inline void device_barrier() {
#if defined(__x86_64__)
  asm volatile("" ::: "memory");  // the processor keeps stores in order; the compiler must too
#elif defined(__aarch64__)
  asm volatile("dmb oshst" ::: "memory");
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/// Stores to the register have left the processor.
inline void flush_register_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#elif defined(__aarch64__)
  asm volatile("dsb st" ::: "memory");
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/// One 8 B store, whole.
inline void store_register(std::uint64_t* to, std::uint64_t value) {
  device_barrier();
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
  flush_register_stores();
}

}  // namespace qpcast::hw::direct
