/// Doorbell batching: one ordered doorbell sequence announces B work requests.
///
///   t(B) = t_wqe + t_doorbell / B            us per work request
///
/// The mechanisms say what is paid per message and what per batch; this one sets B. A lock per
/// WQE publishes one at a time whatever the caller asked for. Valid for 1 <= B <= 256 while the
/// send queue is at least 2 B deep. Source: arXiv 2610.01380, Table 5.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::batching {

void contribute(const Setup& setup, Pipeline& pipeline);

}  // namespace qpcast::batching
