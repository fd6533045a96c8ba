/// Everything that one layout needs on this side: region, queue pairs connected to the peer, and
/// the submitter that the layout names.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "hw/clocks/clock_control.hpp"
#include "hw/experiments/peer.hpp"
#include "hw/experiments/submitter.hpp"
#include "hw/gda/gpu_nic.hpp"
#include "hw/proxy/proxy.hpp"
#include "hw/quiet_places.hpp"
#include "model/layout.hpp"

namespace qpcast::hw {

/// What a run brings to every layout.
struct Bench {
  Nic& nic;
  Peer& peer;
  std::vector<int> cpus;  ///< near the NIC; workers are bound to them
  std::chrono::milliseconds patience{5000};
  const std::atomic<bool>* interrupted = nullptr;
  GpuNic* gpu_nic = nullptr;       ///< serves GPU queues; null: no GPU submitter
  ClockControl* clocks = nullptr;  ///< sets clock_mhz; null: clocks are never set
  /// Of a proxy's rings; a GPU that produces needs pinned memory.
  std::pmr::memory_resource* ring_memory = std::pmr::new_delete_resource();
  int producer_cpu = -1;  ///< a CPU that posts or produces is bound to it; -1: to none
  /// Chooses the NIC's, producer's and workers' processors before each point; null: they stay.
  QuietPlaces* places = nullptr;
};

class Link {
 public:
  /// @throws InputError when the layout asks what a CPU submitter cannot do
  Link(const Bench& bench, const Layout& layout);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  RequestSubmitter& submitter() { return *submitter_; }
  Region& region() { return *region_; }
  Peer& peer() { return bench_.peer; }
  const Bench& bench() const { return bench_; }

  std::uint32_t payload() const { return payload_; }
  std::uint64_t window() const { return window_; }  ///< outstanding over all queues
  /// The i-th payload slot, to be written to the same place at the peer.
  Request slot(std::uint64_t i) const {
    const auto offset = static_cast<std::uint32_t>(payload_start + i % slots_ * stride_);
    return {offset, offset, payload_, 0, RequestKind::write};
  }
  /// The first `count` slots, or all.
  PayloadShape shape(std::uint64_t count) const {
    return {std::min(count, slots_), stride_, payload_};
  }
  std::uint64_t payload_bytes() const { return slots_ * stride_; }
  /// The rings of a proxy layout, for a producer on the GPU.
  std::vector<RingView> rings() const;
  std::uint64_t stride() const { return stride_; }
  std::uint64_t slots() const { return slots_; }
  bool workers_pinned() const { return proxy_ && proxy_->pinned(); }

 private:
  void connect(const LinkSpec& spec);
  void make_submitter(const Layout& layout, const LinkSpec& spec);

  Bench bench_;
  std::uint32_t payload_;
  std::uint64_t window_, stride_, slots_;
  std::unique_ptr<Region> region_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::unique_ptr<Proxy> proxy_;
  std::unique_ptr<RequestSubmitter> submitter_;
};

}  // namespace qpcast::hw
