/// Chooses the back end that `--nic` names.
#pragma once

#include <memory>

#include "hw/experiments/measure.hpp"
#include "hw/nic/nic.hpp"

namespace qpcast::hw {

/// @throws InputError for an unknown kind, DeviceError when it cannot be opened
std::unique_ptr<Nic> open_nic(const MeasureOptions& options);

}  // namespace qpcast::hw
