/// The memory of a layout's queue pairs and of what they write to, for pass after pass.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "hw/gda/gpu_layout.hpp"
#include "hw/gda/memory.hpp"
#include "hw/gda/queue_pair.hpp"
#include "hw/gda/queue_server.hpp"

namespace qpcast::hw::gda {

/// What a pass writes.
struct Traffic {
  std::uint64_t slots = 1;  ///< of the target, each for one message
  bool executed = true;     ///< the NIC reads WQEs and writes payload
};

class Session {
 public:
  Session(const GpuLayout& layout, std::unique_ptr<QueueServer> server);
  ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Fresh queue pairs, all at index 0, a target of zeroes, and a NIC that serves them.
  void begin(const Traffic& traffic);
  /// @return what the NIC counted, if it counts
  std::optional<emulated::Counters> end();
  /// What the NIC said in the first error completion; empty when there is none. Before end().
  std::string error_completion() const;

  const QueuePair* qps() const { return device_qps_.as<QueuePair>(); }
  const Writes& writes() const { return writes_; }
  /// 8 B at an offset of the target, as the GPU addresses it.
  std::uint64_t* target(std::uint64_t offset) const;
  /// First message whose bytes are not its pattern's, of `count`; -1: all are right.
  std::int64_t first_wrong(std::uint64_t count) const;

 private:
  /// Memory on the side where this session's NIC wants it.
  struct Buffer {
    PinnedMemory host;
    GpuMemory gpu;
    void* data() const { return gpu.data() ? gpu.data() : host.data(); }
    std::size_t bytes() const { return gpu.data() ? gpu.bytes() : host.bytes(); }
  };
  static Buffer allocate(std::size_t bytes, bool on_gpu);
  static void clear(Buffer& buffer, int byte);
  void size_target(const Traffic& traffic);
  void fill_source();
  void allocate_queues();
  emulated::QueueMemory memory_of(std::uint32_t i, bool executed) const;
  QueuePair device_view(std::uint32_t i, std::uint32_t number, std::uint32_t peer) const;
  std::uint64_t* doorbell(std::uint32_t i) const;
  std::uint64_t* relay(std::uint32_t i) const;
  void forward(const std::stop_token& stop);

  GpuLayout layout_;
  std::unique_ptr<QueueServer> server_;
  /// Queue pairs: an even number, since 0 and 1, 2 and 3 and so on are connected to each other.
  std::uint32_t count_;
  Buffer send_queues_, records_, entries_, target_, source_;
  PinnedMemory doorbells_, relays_;
  GpuMemory shared_, device_qps_;
  Writes writes_;
  std::vector<emulated::QueueMemory> memories_;  ///< of the pass's queue pairs
  std::jthread forwarder_;                       ///< of CPU-assisted doorbells, for a pass
};

}  // namespace qpcast::hw::gda
