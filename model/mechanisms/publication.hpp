/// Publication: several threads share one queue pair and must announce WQEs in order.
///
/// Slots are reserved, WQEs built in parallel, and the doorbell sequence runs in reservation
/// order inside an exclusive section per queue pair:
///
///   section = publish + publish_per_wqe * B             us per batch of B
///           + further / 2                               at least publish / 10
///   further = gpu.order_stream * (order(scope) / order(gpu) - 1)
///
/// further is what another scope than gpu costs more or, without any ordering, less. A put orders
/// twice, behind its WQEs and behind the record, and only the second waits for its turn: the first
/// half of what is more is the thread's own. Under a lock both are inside: section + further. The
/// halves are the code path's (hw/gda/publish.cuh) and agree with H200 rows under system scope; the
/// floor is this project's assumption.
///
///   exclusive           one thread per queue pair: no section
///   lock-per-wqe        B = 1 whatever the caller's batch; section + lock
///   thread-handoff      the section passes from thread to thread
///   warp-cooperative    one lane publishes for its warp; the warp holds build and section, so a
///                       single warp is bound by build + section, several by the section alone
///   warp-synchronised   thread-handoff with the lanes of a warp kept together: a lane's round is
///                       its build and the sections of all 32
///   warp-drifting       lanes drift apart and wait for each other: section * drift
///
/// Parameters per cost profile: publish, publish_per_wqe, lock (us at the reference clock), drift
/// (a ratio, >= 1). The number of queues caps parallel sections. The closed form takes drift as a
/// parameter; the discrete-event solver produces it from lane jitter.
/// Valid for 1-256 WQEs per section. Source: arXiv 2610.01380, Table 5, section 4.3.1 and D.1.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::publication {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::publication
