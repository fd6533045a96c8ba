/// Waiting on the GPU: every wait has a deadline, and the first that misses it ends the run.
#pragma once

#include "hw/gda/failure.hpp"

namespace qpcast::hw::gda {

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// Of the multiprocessor's own clock.
__device__ inline std::uint64_t cycles() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %clock64;" : "=l"(now));
  return now;
}

/// Its low half, which is cheaper to read: differences up to 4 s / GHz.
__device__ inline std::uint32_t short_cycles() {
  std::uint32_t now;
  asm volatile("mov.u32 %0, %clock;" : "=r"(now)::"memory");
  return now;
}

template <class Word>
__device__ inline Word load_volatile(const Word* from) {
  return *static_cast<const volatile Word*>(from);
}
template <class Word>
__device__ inline void store_volatile(Word* to, Word value) {
  *static_cast<volatile Word*>(to) = value;
}

/// The run's way out. `failure` is shared by all its threads.
struct Patience {
  std::uint64_t deadline;  ///< of globaltimer, ns
  std::uint32_t* failure;  ///< Failure, GPU memory

  __device__ bool failed() const { return load_volatile(failure) != 0; }
  __device__ void fail(Failure why) const { atomicCAS(failure, 0U, static_cast<unsigned>(why)); }
};

/// Spins until `ready()`; looks at the deadline now and then.
/// @return false when the run is over
template <class Ready>
__device__ inline bool spin(const Patience& patience, Failure why, Ready ready) {
  for (std::uint32_t look = 1; !ready(); ++look) {
    if (look % 1024 != 0) continue;
    if (patience.failed()) return false;
    if (nanoseconds() < patience.deadline) continue;
    patience.fail(why);
    return false;
  }
  return true;
}

}  // namespace qpcast::hw::gda
