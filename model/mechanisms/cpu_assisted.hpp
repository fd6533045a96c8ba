/// CPU-assisted submission: the GPU builds WQEs, a host thread forwards the doorbell.
///
///   transit += host.assist_delay            us
///
/// For systems where the UAR cannot be mapped into the GPU. The peak rate is unchanged, because
/// one forwarded doorbell announces everything built since the last. Valid with a polling host
/// thread of its own. Source: arXiv 2610.01380, section 4.3.1.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::cpu_assisted {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::cpu_assisted
