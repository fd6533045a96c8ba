#include "hw/nic/mlx5/dc_target.hpp"

#include <cerrno>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw::mlx5 {

DcTarget::Receive::Receive(Calls& calls) : calls_{calls}, queue_{calls.create_receive_queue()} {
  if (!queue_.handle)
    throw DeviceError{calls.name(), "ibv_create_srq", errno, "out of receive queues?"};
}

DcTarget::DcTarget(Calls& calls, std::uint64_t access_key)
    : local_{calls.local_side()},
      plan_{plan_queues(1)},
      rings_{calls, Memory::host, plan_, false},
      doorbell_{calls, false},
      receive_{calls} {
  local_.umem_id = rings_.umem_id();
  local_.uar_page = doorbell_.number();
  cq_.emplace(calls, "CREATE_CQ", create_cq(local_, plan_, Completions::collapsed));
  dct_.emplace(calls, "CREATE_DCT",
               create_dct(local_, cq_->number(), receive_.number(), access_key));
}

}  // namespace qpcast::hw::mlx5
