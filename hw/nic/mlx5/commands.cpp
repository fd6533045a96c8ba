#include "hw/nic/mlx5/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "model/error.hpp"

namespace qpcast::hw::mlx5 {

namespace {

constexpr std::uint64_t entry_bytes = 64;
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t migrated = 3, no_receive_queue = 3, ib_atomics = 1, dc_initiator = 5;

Command command(Opcode code, std::size_t bytes) {
  Command c{bytes};
  c.set(opcode, static_cast<std::uint64_t>(code));
  return c;
}

constexpr Field in_qpc(Field field) { return field.at(qp_context); }
constexpr Field in_path(Field field) { return field.at(qp_context + qpc::primary_path); }

Command transition(Opcode code, std::uint32_t qpn) {
  auto c = command(code, qp_command_bytes);
  c.set(object_number, qpn);
  return c;
}

void allow_remote_access(Command& c) {
  c.set(in_qpc(qpc::remote_write), 1);
  c.set(in_qpc(qpc::remote_atomic), 1);
  c.set(in_qpc(qpc::atomic_mode), ib_atomics);
}

void set_route(Command& c, const LocalSide& local, const Address& peer, const Mac& mac) {
  if (!local.ethernet) {
    c.set(in_path(path::remote_lid), peer.lid);
    return;
  }
  const auto mac_bits = [&](std::size_t first, std::size_t last) {
    std::uint64_t value = 0;
    for (std::size_t i = first; i < last; ++i) value = value << 8 | mac.at(i);
    return value;
  };
  c.set(in_path(path::remote_mac_high), mac_bits(0, 2));
  c.set(in_path(path::remote_mac_low), mac_bits(2, 6));
  for (std::uint32_t i = 0; i < peer.gid.size(); ++i)
    c.set(in_path(path::remote_gid).at(8 * i), peer.gid.at(i));
  c.set(in_path(path::source_index), local.gid_index);
  c.set(in_path(path::hop_limit), 64);
  // RoCE v2's source ports start at 0xC000; the low bits spread flows over equal-cost paths.
  c.set(in_path(path::udp_source_port), 0xc000U | (peer.qp_number & 0x3fffU));
}

}  // namespace

QueuePlan plan_queues(std::uint32_t depth) {
  constexpr std::uint32_t least = 16, most = 32768;
  if (depth == 0 || depth > most)
    throw InputError{"mlx5", "depth", fmt::format("{}: from 1 to {}", depth, most)};
  const auto entries = std::bit_ceil(std::max(depth, least));
  const auto ring = (entries * entry_bytes + page - 1) / page * page;
  QueuePlan plan;
  plan.log_depth = static_cast<std::uint32_t>(std::countr_zero(entries));
  plan.completion_queue = ring;
  plan.cq_record = 2 * ring;
  plan.qp_record = plan.cq_record + entry_bytes;
  plan.bytes = plan.cq_record + page;
  return plan;
}

Command create_cq(const LocalSide& local, const QueuePlan& plan, Completions completions) {
  auto c = command(Opcode::create_cq, create_cq_bytes);
  const auto in = [](Field field) { return field.at(cq_context); };
  const bool collapsed = completions == Completions::collapsed;
  c.set(in(cqc::collapsed), collapsed ? 1 : 0);
  c.set(in(cqc::overrun_ignore), collapsed ? 1 : 0);
  c.set(in(cqc::log_cq_size), plan.log_depth);
  c.set(in(cqc::uar_page), local.uar_page);
  c.set(in(cqc::eqn), local.eqn);
  c.set(in(cqc::dbr_umem_valid), 1);
  c.set(in(cqc::dbr_umem_id), local.umem_id);
  c.set(in(cqc::dbr_address), plan.cq_record);
  c.set(cq_umem_offset, plan.completion_queue);
  c.set(cq_umem_id, local.umem_id);
  c.set(cq_umem_valid, 1);
  return c;
}

Command create_qp(const LocalSide& local, const QueuePlan& plan, std::uint32_t cqn,
                  Transport transport) {
  auto c = command(Opcode::create_qp, qp_command_bytes);
  c.set(in_qpc(qpc::service_type), transport == Transport::dc ? dc_initiator : 0);
  c.set(in_qpc(qpc::pm_state), migrated);
  c.set(in_qpc(qpc::pd), local.pd);
  c.set(in_qpc(qpc::uar_page), local.uar_page);
  c.set(in_qpc(qpc::log_sq_size), plan.log_depth);
  c.set(in_qpc(qpc::rq_type), no_receive_queue);
  c.set(in_qpc(qpc::cqn_send), cqn);
  c.set(in_qpc(qpc::cqn_receive), cqn);
  c.set(in_qpc(qpc::dbr_umem_valid), 1);
  c.set(in_qpc(qpc::dbr_umem_id), local.umem_id);
  c.set(in_qpc(qpc::dbr_address), plan.qp_record);
  c.set(wq_umem_offset, plan.send_queue);
  c.set(wq_umem_id, local.umem_id);
  c.set(wq_umem_valid, 1);
  return c;
}

Command reset_to_init(const LocalSide& local, std::uint32_t qpn) {
  auto c = transition(Opcode::rst2init_qp, qpn);
  c.set(in_qpc(qpc::pm_state), migrated);
  allow_remote_access(c);
  c.set(in_path(path::port), local.port);
  return c;
}

Command init_to_rtr(const LocalSide& local, std::uint32_t qpn, const Address& peer,
                    const Mac& mac) {
  auto c = transition(Opcode::init2rtr_qp, qpn);
  c.set(in_qpc(qpc::mtu), std::min(local.mtu_code, peer.mtu_code));
  c.set(in_qpc(qpc::log_msg_max), 30);
  c.set(in_qpc(qpc::remote_qpn), peer.qp_number);
  c.set(in_qpc(qpc::next_receive_psn), peer.packet_number);
  c.set(in_qpc(qpc::min_rnr_nak), 12);
  allow_remote_access(c);
  c.set(in_path(path::port), local.port);
  set_route(c, local, peer, mac);
  return c;
}

Command rtr_to_rts(const LocalSide& local, std::uint32_t qpn) {
  auto c = transition(Opcode::rtr2rts_qp, qpn);
  c.set(in_qpc(qpc::next_send_psn), local.packet_number);
  c.set(in_qpc(qpc::retry_count), 7);
  c.set(in_qpc(qpc::rnr_retry), 7);
  c.set(in_path(path::ack_timeout), 14);
  return c;
}

Command init_to_rtr(const LocalSide& local, std::uint32_t qpn) {
  auto c = transition(Opcode::init2rtr_qp, qpn);
  c.set(in_qpc(qpc::mtu), local.mtu_code);
  c.set(in_qpc(qpc::log_msg_max), 30);
  c.set(in_path(path::port), local.port);
  if (local.ethernet) {
    c.set(in_path(path::source_index), local.gid_index);
    c.set(in_path(path::hop_limit), 64);
  }
  return c;
}

Command query_qp(std::uint32_t qpn) {
  auto c = command(Opcode::query_qp, query_qp_bytes);
  c.set(object_number, qpn);
  return c;
}

Command create_dct(const LocalSide& local, std::uint32_t cqn, std::uint32_t srqn,
                   std::uint64_t access_key) {
  auto c = command(Opcode::create_dct, create_dct_bytes);
  const auto in = [](Field field) { return field.at(dct_context); };
  c.set(in(dctc::cqn), cqn);
  c.set(in(dctc::atomic_mode), ib_atomics);
  c.set(in(dctc::remote_write), 1);
  c.set(in(dctc::remote_atomic), 1);
  c.set(in(dctc::min_rnr_nak), 12);
  c.set(in(dctc::srqn), srqn);
  c.set(in(dctc::pd), local.pd);
  c.set(in(dctc::access_key), access_key);
  c.set(in(dctc::mtu), local.mtu_code);
  c.set(in(dctc::port), local.port);
  if (local.ethernet) c.set(in(dctc::source_index), local.gid_index);
  c.set(in(dctc::hop_limit), 64);
  return c;
}

}  // namespace qpcast::hw::mlx5
