/// Setup: a layout with every default resolved, in the form the mechanisms read.
///
/// Precedence: the layout's own key, the library preset's, then the general default that
/// `resolve` documents per field. Counts are doubles because they enter formulas.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "model/layout.hpp"
#include "model/library.hpp"
#include "model/platform.hpp"
#include "model/units.hpp"

namespace qpcast {

/// The profile of a cost that the code path does not have (preset value "none").
inline constexpr int no_profile = -1;

/// Cost profiles of a layout that names no library.
inline constexpr const char* bare_gpu_profile = "mini-gda";
inline constexpr const char* bare_proxy_profile = "mini-proxy";
inline constexpr const char* bare_host_profile = "mini-host";

/// Lanes of a warp.
inline constexpr double lanes_per_warp = 32;

inline constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Members without a comment mean what the vocabulary says of the key of the same name
/// (`qpcast predict --help`, layout.cpp), with its unit and range.
struct Setup {
  Submitter submitter = Submitter::gpu;
  double threads = 1;         ///< submitting GPU threads
  bool saturating = false;    ///< the layout names no threads: enough to saturate the NIC
  double sms = 1;             ///< SMs those threads are spread over
  double qps = 1;             ///< queue pairs (or contexts, or channels) messages are spread over
  double configured_qps = 1;  ///< queue pairs an all-QP completion must visit
  double batch = 1;           ///< WQEs per doorbell, or requests per post
  Bytes payload{8};
  bool inlined = true;  ///< payload inside the WQE
  Ordering ordering = Ordering::gpu;
  Publication publication = Publication::exclusive;
  Completion completion = Completion::per_qp;
  Memory queue_memory = Memory::gpu;
  Transport transport = Transport::rc;
  double dci_pool = 0;      ///< DC initiators per PE; 0: none
  double clock_mhz = 1970;  ///< SM clock
  double workers = 1;       ///< CPU proxy workers
  double rings = 1;         ///< descriptor rings that they poll
  Handoff handoff = Handoff::baseline;
  HostState host_state = HostState::uncontrolled;
  bool one_call = false;      ///< a GPU thread builds a batch in one call: the bare transport
  bool caller_posts = false;  ///< submitter=host without workers: the calling thread posts itself
  bool cpu_inlines = false;   ///< a CPU submitter puts payloads into WQEs only where told to
  bool shared_refcount = false;
  double background_ctas = 0;  ///< CTAs of bulk traffic beside a probe; 0: no probe
  Queue queue = Queue::private_queue;
  Role role = Role::send;
  double active_qps = 1;         ///< connections that messages go round
  double pes = 2;                ///< PEs of the job
  double writes_per_visit = 32;  ///< messages on one connection before the next
  double queue_depth = 0;        ///< WQEs a queue pair (descriptors a ring) holds; 0: ample
  double window = unlimited;     ///< messages a thread has outstanding before it waits
  std::array<int, cost_count> profile{};  ///< cost profile that serves each cost
  const PlatformFacts* facts = nullptr;   ///< outlives the setup

  /// Cost of the library that this setup uses; 0 where the preset says it has none.
  double cost(const ParameterValues& values, Cost c) const {
    const int p = profile[static_cast<std::size_t>(c)];
    return p == no_profile ? 0 : values.get(p, c);
  }
  bool gpu_builds() const {
    return submitter == Submitter::gpu || submitter == Submitter::cpu_assisted;
  }
  bool warp_publishes() const { return publication == Publication::warp_cooperative; }
  /// Who submits: threads, or the warps of those that publish together.
  double streams() const {
    return warp_publishes() ? std::max(1.0, threads / lanes_per_warp) : threads;
  }
};

/// Resolves defaults. `preset` may be null (a bare layout is a mini-gda or mini-proxy one).
/// Registers the preset's cost profiles with `values`, hence non-const.
/// @throws InputError when layout and preset contradict each other
Setup resolve(const Layout& layout, const LibraryPreset* preset, const PlatformFacts& facts,
              ParameterValues& values);

}  // namespace qpcast
