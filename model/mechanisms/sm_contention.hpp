/// Threads on one SM contend for issue slots and the path to memory.
///
///   time to build *= 1 + gpu.sm_contention * (k - 1)       k = submitting streams per SM
///
/// Stores contend, waiting for an ordering does not: what a stream pays per batch stays.
///
/// A stream is a thread with its own queue pair, or a warp that publishes together. The parameter
/// is a ratio per stream. Valid for up to 64 streams on an SM.
/// Source: arXiv 2610.01380, Table 5 (32 queue pairs on one SM against 64 on 64).
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::sm_contention {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::sm_contention
