/// Inline payload: GPU stores against a NIC read.
///
///   issue   += gpu.inline_chunk per 16 B segment of inline data beyond the first
///   transit += nic.dma_read when the payload is not inline (the NIC fetches it)
///
///   submitter += gpu.inline_stream per such segment
///
/// A lone operation waits for its fence whether a few stores more are under way or not; a stream
/// issues them one after the other. For a lone operation the two cross near nic.dma_read /
/// gpu.inline_chunk segments, about 100 B. The larger WQE also weighs on the message engine
/// (mechanisms/wqe.hpp). A library's own pointer path may cost more or less GPU time:
/// `library.*.pointer_issue`, us. Valid for 1-220 B inline. Source: arXiv 2610.01380, section 4.1
/// and Table 3.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::inline_data {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::inline_data
