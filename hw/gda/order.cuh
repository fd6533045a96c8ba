/// Ordering: what makes WQE and record visible to the NIC before the doorbell.
///
///   none      nothing but the program's order: unsafe on hardware that reorders
///   gpu       fence.sc at GPU scope before the record and before the doorbell
///   release   fence.acq_rel at GPU scope before the record, which is read back from where all GPU
///             threads and the NIC see it; the doorbell waits for what was read
///   system    fence.sc at system scope before the record and before the doorbell
///
/// Source: arXiv 2610.01380, section 4.1; PTX memory model.
#pragma once

#include "model/layout.hpp"

namespace qpcast::hw::gda {

template <Ordering scope>
__device__ inline void order() {
  if constexpr (scope == Ordering::none)
    asm volatile("" ::: "memory");
  else if constexpr (scope == Ordering::gpu)
    __threadfence();
  else if constexpr (scope == Ordering::release)
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  else
    __threadfence_system();
}

}  // namespace qpcast::hw::gda
