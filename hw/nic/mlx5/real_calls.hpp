/// The mlx5 control path's calls, made for real through libmlx5.
#pragma once

#include <memory>
#include <string>

#include "hw/nic/mlx5/calls.hpp"
#include "hw/nic/mlx5/gpu_memory.hpp"

namespace qpcast::hw::mlx5 {

struct DeviceOptions {
  std::string device;  ///< "mlx5_0"; empty: the first mlx5 device
  int port = 1;
  int gid_index = -1;  ///< -1: the first RoCE v2 entry with an IPv4 address
};

/// Opens a ConnectX with DEVX.
/// @throws DeviceError when there is none or DEVX is not permitted; in a build without libmlx5,
/// naming the package
std::shared_ptr<Calls> open_device(const DeviceOptions& options, std::unique_ptr<GpuMemory> gpu);

}  // namespace qpcast::hw::mlx5
