#include "hw/experiments/open_nic.hpp"

#include <fmt/format.h>

#include "hw/nic/verbs/verbs.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

std::unique_ptr<Nic> open_nic(const MeasureOptions& options) {
  if (options.nic == "verbs")
    return open_verbs({options.device, options.ib_port, options.gid_index});
  throw InputError{"measure", "nic",
                   fmt::format("'{}' is not one of emulated, verbs, mlx5", options.nic)};
}

}  // namespace qpcast::hw
