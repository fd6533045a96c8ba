/// DC transport: few initiators address many targets.
///
///   issue   += gpu.inline_chunk                          the address vector is 16 B more to store
///   submitter += gpu.inline_stream                       the same in a stream, unless a warp
///   builds transit += dc.operation                              us per operation (larger WQE,
///   connect) engine  : service * (1 + dc.switch / w^2)            w = writes per destination visit
///
/// An initiator must finish with one target before it connects to the next. A switch on every WQE
/// leaves nothing to overlap; in a burst of w only one WQE in w switches, and the chance that the
/// pipeline has nothing else to do falls as 1/w again, hence the square. dc.switch is a ratio.
/// Connection state is in mechanisms/connection_cache.hpp. Valid for bursts of 1-8192.
/// Source: arXiv 2610.01380, section 4.3.3.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::dc {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::dc
