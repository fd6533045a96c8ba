/// One queue pair as GPU threads see it, and what they write through it. Plain pointers: where the
/// queue lies (GPU memory, or host memory mapped into the GPU) is the owner's choice.
#pragma once

#include <cstddef>
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

/// What a thread keeps between puts on one queue pair.
struct Cursor {
  std::uint64_t next = 0;   ///< end of its last put, blocks
  std::uint64_t known = 0;  ///< retired when it last looked
};

/// What the owner of several queue pairs keeps of each between two visits.
struct Owned {
  QueuePair qp;
  Cursor at;
};

/// Queue pairs of one thread, at most.
QPCAST_HOST_DEVICE inline std::uint32_t owned_by_one(std::uint32_t qps, std::uint32_t threads) {
  return (qps + threads - 1) / threads;
}

/// B of shared memory of a block whose threads own several queue pairs each; 0 where none does.
inline std::size_t shared_bytes(std::uint32_t qps, std::uint32_t threads, std::uint32_t per_block) {
  const auto each = owned_by_one(qps, threads);
  return each > 1 ? std::size_t{each} * per_block * sizeof(Owned) : 0;
}

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
