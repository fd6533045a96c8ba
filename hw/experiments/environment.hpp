/// What a row says of the machine that it was measured on.
#pragma once

#include <map>
#include <string>

namespace qpcast::hw {

using Environment = std::map<std::string, std::string>;

/// CPU, kernel, GPU driver and versions. Facts that the system does not tell are left out.
Environment machine_environment();

/// The first CPU's governor and frequency as they are now.
Environment processor_state();

}  // namespace qpcast::hw
