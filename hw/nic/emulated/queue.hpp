/// A queue pair of the emulated NIC: the memory that it shares with its submitter, and the NIC's
/// own context of it.
///
/// All memory is plain pointers that the NIC's thread can follow: host memory, host memory mapped
/// into a GPU, or (when the engine runs there) GPU memory.
#pragma once

#include <cstdint>

#include "hw/wqe/completion.hpp"
#include "hw/wqe/send_queue.hpp"

namespace qpcast::hw::emulated {

struct CompletionMemory {
  wqe::CompletionEntry* entries = nullptr;  ///< the submitter fills them with unwritten_entry
  std::uint32_t log_depth = 0;
  /// Every completion goes to entry 0 [cqc.cc]: a submitter that only asks for the newest.
  bool collapsed = false;
  /// The consumer's doorbell record. Null: overruns are not looked for [cqc.oi].
  const std::uint32_t* consumer_record = nullptr;
};

struct QueueMemory {
  void* send_queue = nullptr;               ///< depth * 64 B
  std::uint32_t depth = 0;                  ///< blocks, a power of two up to 32,768
  bool dc = false;                          ///< WQEs carry an address vector
  const std::uint32_t* record = nullptr;    ///< two words; unused in sink mode
  const std::uint64_t* doorbell = nullptr;  ///< stands for the register; starts as 0
  CompletionMemory completions;
  /// Completions of writes with immediate that come in; the emulation needs no receive WQEs.
  CompletionMemory receive_completions;
};

enum class Condition : std::uint8_t { absent, ready, error };

/// What the submitter is told apart from completions, as verbs' asynchronous events tell it.
enum class Event : std::uint32_t { none, queue_error, completion_overrun, device_removed };

struct CompletionQueue {
  CompletionMemory memory;
  std::uint32_t produced = 0;
};

struct Counters {
  std::uint64_t served = 0;         ///< WQEs carried out; in sink mode blocks retired
  std::uint64_t completions = 0;    ///< without errors
  std::uint64_t errors = 0;         ///< WQEs refused
  std::uint64_t flushed = 0;        ///< WQEs after an error
  std::uint64_t overruns = 0;       ///< completion queues that overran
  std::uint64_t record_behind = 0;  ///< doorbells that overtook their record
};

inline Counters& operator+=(Counters& sum, const Counters& counters) {
  sum.served += counters.served;
  sum.completions += counters.completions;
  sum.errors += counters.errors;
  sum.flushed += counters.flushed;
  sum.overruns += counters.overruns;
  sum.record_behind += counters.record_behind;
  return sum;
}

struct Queue {
  wqe::SendQueue send;
  QueueMemory memory;
  CompletionQueue completions, receive_completions;
  std::uint32_t peer = 0;        ///< queue number; 0: not connected
  std::uint64_t access_key = 0;  ///< what a DC initiator must know to write here
  std::uint32_t fetched = 0;     ///< blocks taken so far
  std::uint32_t announced = 0;   ///< blocks that may be taken
  std::uint64_t seen = 0;        ///< doorbell acted on
  std::uint64_t suspect = 0;     ///< doorbell that overtook its record
  Condition condition = Condition::absent;
  std::uint32_t event = 0;  ///< Event; read by the submitter
  Counters counters;
};

}  // namespace qpcast::hw::emulated
