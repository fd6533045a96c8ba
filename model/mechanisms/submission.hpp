/// Submission: making the WQE visible to the NIC, then ringing the doorbell.
///
/// The WQE, the doorbell record and the doorbell register are written in that order; the ordering
/// scope decides what the thread pays for it:
///
///   lone operation:   order(scope)                   none: 0, gpu, release, system
///                     release, doorbell record in host memory: + gpu.host_exchange, since the
///                     record is exchanged, or read back, across PCIe both ways
///   in a stream, that included:
///                     order_stream * order(scope) / order(gpu), once per doorbell
///
/// A lone operation waits for an idle store path; in a stream the fence overlaps the WQEs that
/// follow. When several threads share a queue, the sequence is part of the exclusive section
/// (mechanisms/publication.hpp) and not paid here. Parameters `gpu.order_*`, us at the
/// reference clock. `none` is unsafe on hardware that reorders; it bounds what ordering costs.
/// Source: arXiv 2610.01380, Table 3 and section 4.1.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::submission {

/// Cost of ordering a lone operation at a scope, at the reference clock.
Duration order_cost(Ordering scope, const ParameterValues& values);
/// The same at the setup's scope, with its doorbell record where the setup has it.
Duration order_cost(const Setup& setup, const ParameterValues& values);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::submission
