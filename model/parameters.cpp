#include "model/parameters.hpp"

#include <array>

namespace qpcast {

namespace {

constexpr double nominal = 0.02;  // what a data sheet says
constexpr double likely = 0.5;
constexpr double wide = 1.0;  // order of magnitude only
constexpr double open = 2.0;  // a program that nobody has described, on any processor

using enum Scope;
constexpr std::array<ParameterInfo, param_count> params{{
    {"gpu.wqe_build", "us", physics, 0.2, wide, 1e-3, 10, "wqe", "thread builds one WQE"},
    {"gpu.order_gpu", "us", physics, 0.5, wide, 1e-3, 50, "submission",
     "GPU-scope ordering and doorbell, alone"},
    {"gpu.order_release", "us", physics, 0.4, wide, 1e-3, 50, "submission",
     "release ordering and doorbell"},
    {"gpu.order_system", "us", physics, 2.0, wide, 1e-3, 50, "submission",
     "system-scope ordering and doorbell"},
    {"gpu.order_stream", "us", physics, 0.4, wide, 1e-3, 50, "batching",
     "ordering and doorbell in a stream"},
    {"gpu.host_exchange", "us", physics, 0.8, wide, 1e-3, 50, "submission",
     "release exchange with a doorbell record in host memory"},
    {"gpu.host_store", "us", physics, 0.05, wide, 1e-4, 5, "proxy",
     "a thread's store to host memory, in a stream"},
    {"gpu.host_read", "us", physics, 1, wide, 1e-3, 50, "proxy",
     "reading a completion counter in host memory behind one's own stores"},
    {"gpu.inline_chunk", "us", physics, 0.1, likely, 1e-4, 5, "inline_data",
     "per further 16 B of inline data"},
    {"gpu.inline_stream", "us", physics, 0.05, likely, 1e-4, 5, "inline_data",
     "the same in a stream"},
    {"gpu.warp_build", "us", physics, 0.4, wide, 1e-3, 50, "publication",
     "a warp builds 32 WQEs in lockstep"},
    {"gpu.sm_contention", "1", physics, 0.004, wide, 1e-6, 1, "sm_contention",
     "slow-down per further stream on an SM"},
    {"gpu.memory_factor", "1", physics, 1.0, likely, 0.1, 20, "clock",
     "memory waits on a coherent CPU-GPU platform"},
    {"nic.visible", "us", physics, 2.5, likely, 0.1, 100, "memory_geography",
     "doorbell to payload visible, 8 B"},
    {"nic.ack", "us", physics, 0.6, likely, 0.01, 100, "memory_geography",
     "payload visible to CQE"},
    {"nic.dma_read", "us", physics, 0.6, likely, 0.01, 20, "inline_data",
     "NIC reads GPU memory once"},
    {"nic.geography", "us", physics, 0.5, likely, 0.01, 20, "memory_geography",
     "extra per trip through a coherent CPU"},
    {"nic.load_delay", "us", physics, 2.0, wide, 0.01, 100, "nic_engine",
     "added transit at full NIC utilisation"},
    {"nic.ceiling", "Mmsg/s", nic, 220, likely, 0.01, 5000, "nic_engine",
     "message-rate ceiling, one direction"},
    {"nic.duplex_penalty", "1", physics, 1.5, 0.3, 1, 20, "nic_engine",
     "engine time when also receiving"},
    {"nic.block", "1", physics, 0.3, likely, 1e-3, 10, "wqe",
     "engine time per further 64 B of WQE"},
    {"wire.line_rate", "GB/s", platform, 25, nominal, 1e-3, 1000, "wire",
     "link rate, headers counted"},
    {"conn.onset", "connections", physics, 1300, likely, 1, 1e8, "connection_cache",
     "active connections at which decline starts, many peers"},
    {"conn.onset_bidirectional", "connections", physics, 150, wide, 1, 1e8, "connection_cache",
     "the same between two peers"},
    {"conn.decline_bidirectional", "1", physics, 0.3, wide, 1e-3, 10, "connection_cache",
     "exponent of decline, one peer"},
    {"conn.decline_all_to_all", "1", physics, 0.8, wide, 1e-3, 10, "connection_cache",
     "exponent of decline, many peers"},
    {"dc.operation", "us", physics, 0.4, wide, 1e-3, 50, "dc", "DC's extra time per operation"},
    {"dc.switch", "1", physics, 30, wide, 1e-2, 1e5, "dc",
     "DC target switch on every WQE, in engine services"},
    {"host.assist_delay", "us", physics, 3, likely, 0.01, 1000, "cpu_assisted",
     "CPU forwards a doorbell"},
    {"host.speed", "1", platform, 1.0, likely, 0.05, 50, "proxy",
     "CPU speed against P-IB's cold host"},
    {"host.warm_gain", "1", physics, 1.6, likely, 1, 10, "proxy", "warm host speed against cold"},
    {"host.tail", "us", physics, 2, wide, 1e-3, 1000, "proxy",
     "p99 above median of a cold host's round trip"},
    {"proxy.pickup", "us", physics, 0.25, likely, 1e-3, 1e6, "proxy",
     "worker notices a descriptor"},
    {"backlog.window", "messages", physics, 1000, wide, 1, 1e7, "backlog",
     "descriptors a background CTA keeps queued"},
    {"backlog.worker_window", "messages", physics, 256, wide, 1, 1e7, "backlog",
     "requests ahead on a proxy worker"},
    {"host.inline_chunk", "us", physics, 0.01, wide, 1e-5, 10, "proxy",
     "CPU stores per further 16 B of inline data, cold host"},
    {"soft.doorbell", "us", nic, 0.2, open, 1e-6, 1e4, "software_nic",
     "program notices a doorbell, paid per batch"},
    {"soft.message", "us", nic, 0.5, open, 1e-6, 1e4, "software_nic",
     "program performs one message"},
    {"soft.packet", "us", nic, 0.5, open, 1e-6, 1e4, "software_nic",
     "program sends each packet after the first"},
    {"soft.kib", "us", nic, 0.1, open, 1e-6, 1e4, "software_nic", "program moves 1,024 B"},
    {"soft.segment", "us", nic, 0.01, open, 1e-6, 1e4, "software_nic",
     "program fetches each further 16 B of inline data"},
    {"soft.gpu_look", "us", nic, 2, open, 1e-6, 1e4, "software_nic",
     "a lone doorbell's way to a GPU kernel that is idle"},
    {"soft.gpu_doorbell", "us", nic, 1, open, 1e-6, 1e4, "software_nic",
     "the same in a GPU kernel: doorbell"},
    {"soft.gpu_message", "us", nic, 2, open, 1e-6, 1e4, "software_nic", "message in a GPU kernel"},
    {"soft.gpu_segment", "us", nic, 1, open, 1e-6, 1e4, "software_nic",
     "16 B of inline data in a GPU kernel"},
    {"soft.gpu_kib", "us", nic, 1, open, 1e-6, 1e4, "software_nic", "1,024 B in a GPU kernel"},
    {"soft.contention", "us", nic, 0.1, open, 1e-6, 1e4, "software_nic",
     "a CPU's post waits for the line that a program polls"},
    {"conn.miss", "us", nic, 10, open, 1e-6, 1e4, "paced_nic",
     "fetching a context that an imposed cache does not hold"},
}};

constexpr std::array<ParameterInfo, cost_count> costs{{
    {"issue", "us", physics, 1.0, wide, 1e-3, 100, "library_overhead",
     "library call beyond building and ringing"},
    {"clock_share", "1", physics, 0.85, 0.08, 0.05, 1, "clock", "share of GPU time that is cycles"},
    {"pointer_issue", "us", physics, 0.05, wide, 1e-4, 20, "inline_data",
     "pointer payload beyond 8 B inline"},
    {"complete", "us", physics, 0.5, wide, 1e-3, 100, "completion", "noticing a completion"},
    {"visit", "us", physics, 0.3, wide, 1e-4, 100, "completion",
     "per queue pair visited by a completion"},
    {"receive", "us", physics, 0.8, wide, 1e-3, 100, "library_overhead",
     "receiver notices and replies"},
    {"publish", "us", physics, 0.8, wide, 1e-3, 100, "publication", "exclusive section per batch"},
    {"publish_per_wqe", "us", physics, 0.01, wide, 1e-5, 10, "publication",
     "exclusive section per WQE"},
    {"lock", "us", physics, 0.1, wide, 1e-4, 100, "publication", "taking and leaving a lock"},
    {"drift", "1", physics, 2, likely, 1, 100, "publication", "section when lanes drift apart"},
    {"handoff", "us", physics, 2, wide, 1e-3, 100, "proxy", "GPU hands a descriptor to the host"},
    {"post", "us", physics, 0.4, likely, 1e-3, 100, "proxy", "worker's cost per post, cold host"},
    {"per_request", "us", physics, 0.06, likely, 1e-4, 100, "proxy",
     "worker's cost per request, cold host"},
    {"serial_fraction", "1", physics, 0.3, wide, 1e-3, 1, "proxy",
     "share of worker time on shared state"},
}};

template <class E, std::size_t N>
std::optional<E> find_in(const std::array<ParameterInfo, N>& table, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (table.at(i).name == name) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace

std::span<const ParameterInfo> parameter_table() { return params; }
std::span<const ParameterInfo> cost_table() { return costs; }
std::optional<Param> find_param(std::string_view name) { return find_in<Param>(params, name); }
std::optional<Cost> find_cost(std::string_view name) { return find_in<Cost>(costs, name); }

}  // namespace qpcast
