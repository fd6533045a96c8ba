#include "hw/experiments/gpu_side.hpp"

#include "hw/gda/gpu_link.hpp"
#include "hw/gda/mlx5_nic.hpp"
#include "hw/nic/emulated/emulated.hpp"
#include "hw/nic/mlx5/mlx5.hpp"

namespace qpcast::hw {

GpuSide gpu_side(Nic& nic, bool loopback) {
  if (nic.kind() == "verbs")
    return {nullptr, "mini-gda writes mlx5 queues (--nic emulated or mlx5); a CPU produces"};
  if (!loopback) return {nullptr, "mini-gda measures in loopback, without --client"};
  if (const auto why = no_gpu(); !why.empty()) return {nullptr, why};
  if (auto* const emulated = dynamic_cast<EmulatedNic*>(&nic))
    return {emulated_gpu_nic(emulated->server()), {}};
  if (auto* const mlx5 = dynamic_cast<Mlx5Nic*>(&nic))
    return {std::make_unique<Mlx5GpuNic>(mlx5->calls()), {}};
  return {nullptr, "this NIC has no queues that a GPU could write"};
}

}  // namespace qpcast::hw
