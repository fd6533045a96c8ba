/// One queue pair as GPU threads see it, and what they write through it. Plain pointers: where the
/// queue lies (GPU memory, or host memory mapped into the GPU) is the owner's choice.
#pragma once

#include <cstdint>

#include "hw/wqe/encode.hpp"

namespace qpcast::hw::gda {

/// State of a queue pair that several threads use; GPU memory. Indices count blocks for ever.
struct alignas(128) SharedState {
  unsigned long long reserved;   ///< blocks handed out to threads
  unsigned long long published;  ///< blocks announced, in order
  unsigned long long retired;    ///< blocks known to be complete, for the completion scopes
  unsigned int lock;             ///< of lock-per-wqe
};

struct QueuePair {
  wqe::SendQueue send;
  std::uint32_t* record;        ///< doorbell record, two words
  std::uint64_t* doorbell;      ///< doorbell register
  const std::uint64_t* newest;  ///< tail of the completion queue's one, collapsed entry
  SharedState* shared;
  wqe::CompactVector target;  ///< DC only
};

/// The writes of a run: message m goes to slot m & slot_mask of the target.
struct Writes {
  wqe::Remote remote;
  wqe::Local source;            ///< pointer writes only
  std::uint64_t slot_mask = 0;  ///< slots of the target less one; the source has as many
  std::uint32_t length = 8;     ///< B
  std::uint32_t stride = 8;     ///< B from slot to slot
  std::uint32_t blocks = 1;     ///< 64 B blocks per WQE
  /// Blocks from the index in a completion to the end of what it retires: the WQE's own blocks,
  /// or 1 for a NIC in sink mode, which knows no WQEs.
  std::uint32_t retires = 1;
};

/// Word `i` of the payload of message `m`: two multiplications by odd numbers, so that messages
/// less than 2^32 apart differ in every word.
QPCAST_HOST_DEVICE inline std::uint32_t pattern_word(std::uint64_t m, std::uint32_t i) {
  return (static_cast<std::uint32_t>(m) + 1) * 0x9e3779b1U + i * 0x85ebca6bU;
}

/// Inline payload made in registers.
struct PatternPayload {
  static constexpr bool endless = true;
  std::uint64_t message;
  QPCAST_HOST_DEVICE std::uint32_t word(std::uint32_t i, std::uint32_t /*bytes*/) const {
    return pattern_word(message, i);
  }
};

}  // namespace qpcast::hw::gda
