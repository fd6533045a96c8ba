/// Proxy: the GPU enqueues a descriptor, a CPU worker posts it.
///
///   issue    = handoff                                      us, GPU (mechanisms/clock.hpp)
///   transit += (proxy.pickup + post + per_request) * h      us, CPU
///   submitter: stream + gpu.host_read / max(1, W / 2)       per descriptor, GPU thread or CPU
///   stream   = max(handoff, gpu.host_store)
///            + gpu.host_exchange (1 - 1 / P)                baseline only, P producers
///   worker   : (post / B + per_request) * h                 per request, T servers
///   lock     : serial_fraction * the same                   one server, shared by all workers
///   complete += gpu.host_read                               of a producer with a window
///   receive += handoff                                      baseline only: payload and flag
///                                                           are two descriptors
///
/// A lone descriptor is posted and gone; those of a stream wait for the bus. A producer with a
/// window W looks at the completion counter, in host memory, once per half of it, and what it waits
/// for is known a look later. The baseline reads the worker's progress for each descriptor, behind
/// the stores of other producers.
///
/// A host that posts by itself (submitter=host without workers) hands nothing to anybody: no
/// pickup, and issue = (post / B + per_request) * h. In a stream it polls a queue pair whenever it
/// comes by: worker += visit * h / w, w = messages per visit, half a queue pair's share of the
/// window at most. A CPU that puts payloads into WQEs pays host.inline_chunk per further 16 B in
/// per_request.
///
/// h is the host's speed: cold 1, warm 1 / host.warm_gain, uncontrolled the geometric mean of
/// the two; sustained background load also lifts a cold host to that mean. h is divided by
/// host.speed, this platform's CPU against P-IB's. A shared reference count makes the whole of a
/// request serial (serial_fraction = 1). A round trip's 99th percentile lies host.tail * h^2
/// above its median: the tail is the host's frequency and idle-state transitions.
/// handoff, post, per_request, visit, serial_fraction belong to the cost profile. Valid for 1-32
/// rings served by 1-8 workers, B <= 16. Source: arXiv 2610.01380, sections 4.1, 4.2, C.1, Fig. 7.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::proxy {

/// Time of host work relative to a cold P-IB host.
double host_factor(const Setup& setup, const ParameterValues& values);
/// What a request of a batch takes the CPU that posts it, at its operating state.
Duration post_time(const Setup& setup, const ParameterValues& values);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::proxy
