/// Memory geography: where the queues are decides how the NIC reaches them.
///
///   transit     = nic.visible                     doorbell to payload visible at the target,
///                                                 the NIC fetching the WQE from the GPU
///               - nic.dma_read                    if a host posts: the WQE needs no such fetch
///               + nic.geography * trips           coherent CPU-GPU platforms only
///   acknowledge = nic.ack + nic.geography * trip  visible to CQE
///
/// On coherent platforms the NIC reaches GPU memory through the CPU, so each trip to GPU memory
/// costs nic.geography more: fetching the WQE (queues in GPU memory), writing the payload, writing
/// the CQE (queues in GPU memory). Issue hardly changes. All in us, for 8 B payloads.
/// Source: arXiv 2610.01380, Table 3 and section 4.1.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::memory_geography {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::memory_geography
