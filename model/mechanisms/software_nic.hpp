/// Software NIC: a program performs the WQEs, so that its time is a processor's.
///
///   work(CPU) = soft.message + soft.packet * (packets - 1) + soft.kib * payload / 1,024 B
///               or, of inline data in queues, soft.message + soft.segment * further segments
///   work(GPU) = soft.gpu_message + soft.gpu_segment * inline segments
///                                + soft.gpu_kib * payload not inline / 1,024 B
///
/// Who pays depends on where the program runs (PlatformFacts::nic_kind):
///   in_post      the thread that posts, inside the call, at the host's speed (proxy.hpp's h):
///                issue of a host that posts itself, transit and worker time behind a proxy
///   sink         nobody pays for a message: one look at a queue retires whatever was announced;
///                transit += soft.doorbell
///   with_queues  one thread serves all queues in host memory: the engine station, and transit; a
///                kernel serves each queue pair in GPU memory, as many at once as queue pairs, and
///                an idle one takes soft.gpu_look to see a lone doorbell. That look crosses PCIe,
///                and a fence at system scope waits for the one in flight: issue += soft.gpu_look /
///                2
/// A program that polls one queue pair keeps fetching the line that a CPU's post writes; with N of
/// them it comes by less often, and the less the longer a message takes it: worker and issue
/// += soft.contention / N * min(1, post / work)^2 per batch. It also pays
/// soft.doorbell (soft.gpu_doorbell) per batch. All in us. There is no message-rate ceiling beside
/// this, and no context cache, but what is imposed (paced_nic.hpp). Source: the structure of Linux'
/// drivers/infiniband/sw/rxe and of hw/nic/emulated.
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::software_nic {

/// The program's time for one message, without its doorbell.
Duration service(const Setup& setup, const ParameterValues& values);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::software_nic
