/// Backlog: a probe behind bulk traffic waits for the whole of it, in both directions.
///
///   wait = messages ahead / rate that drains them            us per direction
///
/// GPU submitters: a shared queue holds every message the background threads have outstanding
/// (threads x window); a probe that shares one background CTA's context waits for that CTA's
/// share, drained at that CTA's share of the rate; a private context waits for nobody.
/// Proxies: producers never wait for completion, so each background CTA keeps
/// backlog.window descriptors in the FIFO it shares with the probe (a layout's window, where it has
/// one, is what all of them keep there, towards the target only: the answer comes back unhindered).
/// A private ring removes that, but the worker still serves everyone: backlog.worker_window
/// requests are ahead of the probe on its worker, which drains at 1/T of the rate. Parameters in
/// messages. Valid while the background saturates its bottleneck. Source: arXiv 2610.01380,
/// section 4.2 and Table 11.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::backlog {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

/// Time a probe waits per direction, at the carried rate. Zero without background traffic.
Duration wait(const Pipeline& pipeline, Rate carried);

}  // namespace qpcast::backlog
