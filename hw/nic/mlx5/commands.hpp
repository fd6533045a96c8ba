/// The commands of a queue pair, reliable connected or DC initiator, and of a DC target, as bytes.
#pragma once

#include <array>
#include <cstdint>

#include "hw/nic/mlx5/fields.hpp"
#include "hw/nic/nic.hpp"
#include "model/layout.hpp"

namespace qpcast::hw::mlx5 {

/// Where a queue pair's rings and doorbell records lie inside its one user memory (offsets in B).
struct QueuePlan {
  std::uint32_t log_depth = 0;  ///< of both rings; entries are 64 B
  std::uint64_t send_queue = 0, completion_queue = 0, cq_record = 0, qp_record = 0;
  std::uint64_t bytes = 0;
};
/// @param depth  work requests, rounded up to a power of two, 16 to 32,768
QueuePlan plan_queues(std::uint32_t depth);

/// How a completion queue is polled.
enum class Completions : std::uint8_t {
  ring,       ///< entry by entry, with a consumer record; an overrun is an error
  collapsed,  ///< the newest entry only, always at the same place; nobody counts what was read
};

/// What this end's commands name.
struct LocalSide {
  std::uint32_t umem_id = 0, uar_page = 0, pd = 0, eqn = 0;
  std::uint8_t port = 1, gid_index = 0;
  bool ethernet = true;
  std::uint16_t mtu_code = 5;
  std::uint32_t packet_number = 0;
  std::uint16_t lid = 0;
  std::array<std::uint8_t, 16> gid{};
};

using Mac = std::array<std::uint8_t, 6>;

Command create_cq(const LocalSide& local, const QueuePlan& plan, Completions completions);
Command create_qp(const LocalSide& local, const QueuePlan& plan, std::uint32_t cqn,
                  Transport transport = Transport::rc);
Command reset_to_init(const LocalSide& local, std::uint32_t qpn);
/// @param mac  the peer's, or its router's; unused on InfiniBand
Command init_to_rtr(const LocalSide& local, std::uint32_t qpn, const Address& peer, const Mac& mac);
Command rtr_to_rts(const LocalSide& local, std::uint32_t qpn);
/// A DC initiator has no peer; where each WQE goes is in its address vector.
Command init_to_rtr(const LocalSide& local, std::uint32_t qpn);
Command query_qp(std::uint32_t qpn);
/// @param srqn  of a shared receive queue
Command create_dct(const LocalSide& local, std::uint32_t cqn, std::uint32_t srqn,
                   std::uint64_t access_key);

}  // namespace qpcast::hw::mlx5
