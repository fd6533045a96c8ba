#include "hw/nic/device_error.hpp"
#include "hw/nic/mlx5/real_calls.hpp"

namespace qpcast::hw::mlx5 {

std::shared_ptr<Calls> open_device(const DeviceOptions& options,
                                   std::unique_ptr<GpuMemory> /*gpu*/) {
  throw DeviceError{options.device.empty() ? "mlx5" : options.device, "open", 0,
                    "this build has no libmlx5: install the Debian package 'libibverbs-dev' and "
                    "configure again"};
}

}  // namespace qpcast::hw::mlx5
