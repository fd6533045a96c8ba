/// Wire: payload plus headers over the link rate.
///
///   service = (payload + header * packets) / wire.line_rate      packets = ceil(payload / MTU)
///
/// The header is the platform's: 42 B for InfiniBand (LRH 8, BTH 12, RETH 16, ICRC 4, VCRC 2) and
/// 98 B for RoCE v2 (preamble and gap 20, Ethernet 18, IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4).
/// Goodput is payload over that. wire.line_rate in GB/s counts headers; it is the link's nominal
/// rate unless rows say otherwise. Valid for one path between two NICs without competing traffic.
/// Source: InfiniBand Architecture Specification (header sizes); arXiv 2610.01380, Fig. 8.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::wire {

/// Bytes on the wire for one message.
Bytes wire_bytes(const Setup& setup);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::wire
