/// Completion: noticing that the NIC is done, and for how many queue pairs.
///
/// A signalled WQE yields a CQE that retires all earlier ones of its queue. The scope decides how
/// many queues the submitter looks at:
///
///   t = complete + visit * v        v = 1 (per-qp), queue pairs of the peer (per-peer),
///                                   or every configured queue pair and DCI (all-qp)
///
/// Visited whether used or not, so an all-QP quiet grows linearly with the configured queue
/// pairs. Costs per profile, us at the reference clock. A per-peer scope visits the queue pairs
/// of one peer: the layout's `qps`. Valid while no visited queue has work of its own outstanding.
/// Source: arXiv 2610.01380, section 4.1 and Table 3.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::completion {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::completion
