/// The GPU as mini-proxy's producer: threads that hand descriptors to rings in pinned host memory
/// (device half: hw/proxy/ring_device.cuh).
#pragma once

#include <chrono>
#include <memory>
#include <span>

#include "hw/gda/gpu_link.hpp"
#include "hw/proxy/ring.hpp"

namespace qpcast::hw {

/// Requests 0, 1, ... of a pass: slot i modulo `slots`.
struct RequestPattern {
  std::uint32_t first = 0;   ///< offset of slot 0 on both sides, B
  std::uint32_t stride = 8;  ///< B
  std::uint32_t slots = 1;
  std::uint32_t length = 8;  ///< B
};

class GpuProducer {
 public:
  /// @param rings  in memory of pinned_resource(), empty, and with no other producer
  GpuProducer(std::span<const RingView> rings, bool tuned, std::chrono::milliseconds patience);
  ~GpuProducer();
  GpuProducer(const GpuProducer&) = delete;
  GpuProducer& operator=(const GpuProducer&) = delete;

  /// Lone requests on ring 0: issue is the handoff, completion the counter in host memory.
  GpuLatencies latency(std::uint32_t samples, const RequestPattern& pattern);
  /// One thread per ring, each on an SM of its own, until the last request is complete.
  /// @param window  requests outstanding per ring at most; 0: what the ring holds
  GpuRate rate(std::uint64_t per_ring, std::uint64_t window, const RequestPattern& pattern);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qpcast::hw
