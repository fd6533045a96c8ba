/// What calibration has to say about its data, by name, so that programs can tell one from another.
#pragma once

#include <string>
#include <vector>

namespace qpcast::calibrate {

struct Warning {
  std::string name;   ///< "assumed-fact", "zero-variance", "contradictory-rows", ...
  std::string where;  ///< file:line and id of a row, or a platform
  std::string text;
};
using Warnings = std::vector<Warning>;

}  // namespace qpcast::calibrate
