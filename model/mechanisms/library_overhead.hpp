/// Library overhead: what a library's call does beside building, ordering and ringing.
///
/// Queue lookups, slot reservation, ready-head updates, doorbell locks and fences cost
/// `library.*.issue` (us at the reference clock) per call, on top of the bare submission. A
/// receiver's wait and reply cost `library.*.receive` per direction of a round trip. The clock
/// share of each library is in mechanisms/clock.hpp. Valid for calls of one WQE. A warp that
/// publishes together, and a bare transport that builds a batch in one call, pay once per batch. A
/// bare transport has only what its platform has learnt of it: nothing where it was not measured.
/// Source: arXiv 2610.01380, Table 3 and section 4.1.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::library_overhead {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::library_overhead
