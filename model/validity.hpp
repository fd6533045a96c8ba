/// Where the calibrated range ends: one warning per key that leaves it.
#pragma once

#include <string>
#include <vector>

#include "model/setup.hpp"

namespace qpcast {

/// Appends a warning for every key of the setup outside the range its mechanism states.
void add_range_warnings(const Setup& setup, std::vector<std::string>& warnings);

}  // namespace qpcast
