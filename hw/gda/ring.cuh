/// Submission: WQEs, then the doorbell record, then the doorbell register, each ordered behind the
/// one before.
#pragma once

#include "hw/gda/order.cuh"
#include "hw/gda/queue_pair.hpp"
#include "hw/gda/spin.cuh"
#include "hw/wqe/doorbell.hpp"

namespace qpcast::hw::gda {

/// Writes the doorbell record so that what follows is ordered behind it.
template <Ordering scope>
__device__ inline void write_record(std::uint32_t* record, std::uint32_t value) {
  if constexpr (scope == Ordering::release) {
    // Nobody else writes the record now, so that the trap is never taken; but the doorbell cannot
    // be stored before the load has told.
    store_volatile(record, value);
    if (load_volatile(record) != value) __trap();
  } else {
    store_volatile(record, value);
    order<scope>();
  }
}

/// Announces every block below `next`, whose WQEs are ordered already.
template <Ordering scope>
__device__ inline void ring(const QueuePair& qp, std::uint64_t next) {
  const auto low = static_cast<std::uint32_t>(next);
  write_record<scope>(&qp.record[wqe::send_record], wqe::send_record_value(low));
  store_volatile(qp.doorbell, wqe::doorbell_value(low, qp.send.qpn));
}

/// The whole sequence of a thread that owns its queue pair.
template <Ordering scope>
__device__ inline void announce(const QueuePair& qp, std::uint64_t next) {
  order<scope>();
  ring<scope>(qp, next);
}

}  // namespace qpcast::hw::gda
