#include "hw/experiments/open_nic.hpp"

#include <fmt/format.h>

#include "hw/gda/mlx5_nic.hpp"
#include "hw/nic/emulated/emulated.hpp"
#include "hw/nic/mlx5/mlx5.hpp"
#include "hw/nic/mlx5/real_calls.hpp"
#include "hw/nic/verbs/verbs.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

std::unique_ptr<Nic> open_nic(const MeasureOptions& options) {
  if (!options.emulate.empty() && options.nic != "emulated")
    throw InputError{"measure", "emulate", "only --nic emulated imposes anything"};
  if (options.nic == "verbs")
    return open_verbs({options.device, options.ib_port, options.gid_index});
  if (options.nic == "mlx5")
    return std::make_unique<Mlx5Nic>(
        mlx5::open_device({options.device, options.ib_port, options.gid_index}, mlx5_gpu_memory()));
  if (options.nic == "emulated")
    return std::make_unique<EmulatedNic>(emulated::parse_imposed(options.emulate));
  throw InputError{"measure", "nic",
                   fmt::format("'{}' is not one of emulated, verbs, mlx5", options.nic)};
}

}  // namespace qpcast::hw
