#include "hw/experiments/open_nic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "hw/nic/emulated/emulated.hpp"
#include "hw/nic/mlx5/real_calls.hpp"
#include "hw/nic/verbs/verbs.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

/// Opens the ConnectX, so that what the driver refuses is said. Who writes its queues is mini-gda.
[[noreturn]] void try_mlx5(const MeasureOptions& options) {
  mlx5::NoGpu no_gpu;
  const auto calls =
      mlx5::open_device({options.device, options.ib_port, std::max(options.gid_index, 0)}, no_gpu);
  throw DeviceError{options.device, "measure", ENOTSUP,
                    "DEVX opens, but this build has no submitter for mlx5 queues; measure the same "
                    "device with --nic verbs"};
}

}  // namespace

std::unique_ptr<Nic> open_nic(const MeasureOptions& options) {
  if (!options.emulate.empty() && options.nic != "emulated")
    throw InputError{"measure", "emulate", "only --nic emulated imposes anything"};
  if (options.nic == "verbs")
    return open_verbs({options.device, options.ib_port, options.gid_index});
  if (options.nic == "mlx5") try_mlx5(options);
  if (options.nic == "emulated")
    return std::make_unique<EmulatedNic>(emulated::parse_imposed(options.emulate));
  throw InputError{"measure", "nic",
                   fmt::format("'{}' is not one of emulated, verbs, mlx5", options.nic)};
}

}  // namespace qpcast::hw
