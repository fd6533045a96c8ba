/// A CPU submitter's side of an mlx5-format queue pair: the WQEs, records and doorbells that a GPU
/// writes too, whoever owns the memory and serves it.
///
/// One thread at a time. Nothing here knows of events; who owns the queue pair looks for them when
/// the send queue is full or polls stay empty.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "hw/nic/nic.hpp"
#include "hw/wqe/completion.hpp"
#include "hw/wqe/encode.hpp"

namespace qpcast::hw::direct {

/// Where the parts of the queue pair lie.
struct QueueMemory {
  void* send_queue = nullptr;  ///< ring of WQE blocks, 64 B aligned
  std::uint32_t blocks = 0;    ///< of 64 B, a power of two
  const wqe::CompletionEntry* entries =
      nullptr;                               ///< completion queue, 64 B each, the NIC's to write
  std::uint32_t log_entries = 0;             ///< log2 of their number
  std::uint32_t* record = nullptr;           ///< two words, as the NIC reads them
  std::uint32_t* consumer_record = nullptr;  ///< of the completion queue
  std::uint64_t* doorbell = nullptr;         ///< the register, or what stands for it
  std::uint32_t number = 0;                  ///< of the queue pair
};

/// The local region, as WQEs name it.
struct Source {
  std::span<const std::byte> bytes;  ///< all of it
  std::uint32_t key = 0;             ///< lkey of its registration
};

/// An error completion's words, which differ between back ends.
using Describe = std::string (*)(wqe::Syndrome, std::uint8_t vendor);

/// Blocks of the ring that holds `options.depth` of the largest WQE.
/// @throws DeviceError (EINVAL) for what no adapter takes
std::uint32_t ring_blocks(const std::string& device, const ChannelOptions& options);

class DirectQueue {
 public:
  DirectQueue(std::string device, const QueueMemory& memory, const Source& source,
              const ChannelOptions& options, Describe describe);
  /// Where writes go. Not for an empty chain before.
  void connect(const Address& peer) { peer_ = peer; }
  /// Over DC, every WQE carries this vector.
  void route(const wqe::CompactVector& vector) {
    vector_ = vector;
    dc_ = true;
  }
  bool has_room(std::size_t requests) const {
    return posted_ - finished_ + requests <= options_.depth;
  }
  /// @throws DeviceError when the chain does not fit or a request leaves the region
  void post(std::span<const WorkRequest> chain);
  /// @throws TransportError for an error completion
  std::size_t poll(std::span<Completed> completions);
  /// Takes one entry of the completion queue. @return there was one
  bool next_completion();
  std::uint32_t number() const { return queue_.qpn; }

 private:
  struct Signalled {
    std::uint32_t block;     ///< the WQE's first, counted without end
    std::uint32_t requests;  ///< posted up to and with it
    std::uint64_t id;        ///< the caller's, for the completion
  };
  template <class Vector>
  std::uint32_t encode(const WorkRequest& request, const Vector& vector);
  template <class Vector>
  std::uint32_t encode_inline(const WorkRequest& request, std::uint8_t flags, const Vector& vector);
  void check(const WorkRequest& request) const;
  void announce();
  [[noreturn]] void fail(const wqe::CompletionEntry& entry) const;

  std::string device_;  ///< name, for messages
  QueueMemory memory_;
  Source source_;
  ChannelOptions options_;
  Describe describe_;
  Address peer_;                     ///< where writes go
  wqe::CompactVector vector_;        ///< of every WQE, over DC
  bool dc_ = false;                  ///< route() was called
  wqe::SendQueue queue_;             ///< the send queue as the encoders take it
  std::uint32_t next_block_ = 0;     ///< to be written, counted without end
  std::uint32_t consumed_ = 0;       ///< completion entries taken
  std::uint32_t posted_ = 0;         ///< requests
  std::uint32_t finished_ = 0;       ///< requests that a completion has retired
  std::uint32_t retired_block_ = 0;  ///< newest block that a completion has named
  bool retired_ = false;             ///< a completion has named one
  std::deque<Signalled> signalled_;  ///< outstanding, oldest first
};

}  // namespace qpcast::hw::direct
