/// NIC engine: a message-rate ceiling per NIC, reached only by enough queues and batching.
///
///   service = 1 / nic.ceiling                              send-only or receive-only
///   service = nic.duplex_penalty / nic.ceiling             sending and receiving together
///
/// Under load the path through the NIC takes longer: transit += nic.load_delay * utilisation.
/// Parameters: nic.ceiling in Mmsg/s, the penalty a ratio, nic.load_delay in us. Valid for small
/// messages; the wire bounds large ones (mechanisms/wire.hpp).
/// Source: arXiv 2610.01380, Table 5, sections 4.2 and 4.3.3.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::nic_engine {

/// Message-engine time of one message in the setup's role, before connection state.
Duration service(const Setup& setup, const ParameterValues& values);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::nic_engine
