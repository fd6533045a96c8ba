/// Connection context cache: per-QP state lives in a NIC cache backed by host memory.
///
/// While the active connections fit (N <= onset) a visit finds its state. Beyond, the rate of a NIC
/// that sends and receives declines as a power of N, and the writes of one visit share the
/// visit's stall:
///
///   service += service * ((N / onset)^a - 1) * 32 / w            N > onset
///
/// N: active_qps; w: writes_per_visit; 32 is the visit the decline is stated for. Onset and
/// exponent depend on the role: conn.onset and conn.decline_all_to_all with many peers, whose
/// interleaved visits miss on both sides at once; conn.onset_bidirectional (published rows bound
/// it only loosely) and conn.decline_bidirectional between two. Send-only and receive-only traffic
/// shows no decline. A larger payload hides the stall behind the wire by itself, since they are
/// different stations. DC initiator-peer pairs follow the same law. Valid up to 32,768
/// connections. A cache that the emulated NIC imposes follows paced_nic.hpp instead. Source: arXiv
/// 2610.01380, section 4.3.3 and Table 16.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::connection_cache {

inline constexpr double reference_visit = 32;

/// Connections whose contexts fit, in the setup's role; with many peers unless it is bidirectional.
double onset(const Setup& setup, const ParameterValues& values);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::connection_cache
