/// Where the calibrated range ends, and where a key cannot have its way: one warning per key.
#pragma once

#include <string>
#include <vector>

#include "model/setup.hpp"

namespace qpcast {

/// Appends a warning for every key of the setup outside the range its mechanism states, or that
/// another overrules.
void add_range_warnings(const Setup& setup, std::vector<std::string>& warnings);

}  // namespace qpcast
