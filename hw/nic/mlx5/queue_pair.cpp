#include "hw/nic/mlx5/queue_pair.hpp"

#include <cerrno>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw::mlx5 {

QueuePair::QueuePair(Calls& calls, const QueuePairOptions& options)
    : calls_{calls},
      local_{calls.local_side()},
      plan_{plan_queues(options.depth)},
      rings_{calls, options.memory, plan_,
             options.memory == Memory::gpu || options.gpu_rings_doorbell},
      doorbell_{calls, options.gpu_rings_doorbell} {
  local_.umem_id = rings_.umem_id();
  local_.uar_page = doorbell_.number();
  cq_.emplace(calls, "CREATE_CQ", create_cq(local_, plan_, options.completions));
  qp_.emplace(calls, "CREATE_QP", create_qp(local_, plan_, cq_->number(), options.transport));
  qp_->modify("RST2INIT_QP", reset_to_init(local_, qp_->number()));
}

Address QueuePair::address() const {
  Address address;
  address.qp_number = qp_->number();
  address.packet_number = local_.packet_number;
  address.mtu_code = local_.mtu_code;
  address.lid = local_.lid;
  address.gid = local_.gid;
  return address;
}

void QueuePair::connect(const Address& peer) {
  Mac mac{};
  if (local_.ethernet && calls_.resolve_mac(peer, mac) != 0)
    throw DeviceError{calls_.name(), "ibv_create_ah", errno, "is the peer's GID reachable (-x)?"};
  qp_->modify("INIT2RTR_QP", init_to_rtr(local_, qp_->number(), peer, mac));
  qp_->modify("RTR2RTS_QP", rtr_to_rts(local_, qp_->number()));
}

void QueuePair::activate() {
  qp_->modify("INIT2RTR_QP", init_to_rtr(local_, qp_->number()));
  qp_->modify("RTR2RTS_QP", rtr_to_rts(local_, qp_->number()));
}

bool QueuePair::in_error() const {
  constexpr std::uint64_t error_state = 6;
  const auto answer = qp_->query("QUERY_QP", query_qp(qp_->number()), query_qp_answer_bytes);
  return answer.get(qpc::state.at(qp_context)) == error_state;
}

QueueView QueuePair::view() const {
  auto* const base = rings_.address();
  const auto record = [&](std::uint64_t offset) {
    return reinterpret_cast<std::uint32_t*>(base + offset);
  };
  return {base + plan_.send_queue, base + plan_.completion_queue,
          record(plan_.cq_record), record(plan_.qp_record),
          doorbell_.address(),     qp_->number(),
          cq_->number(),           plan_.log_depth};
}

}  // namespace qpcast::hw::mlx5
