/// Rows of several files, brought together for one calibration.
///
/// `measure` gives equal layouts equal ids on every platform. A row that shares its id with a row
/// of another platform is told apart by its platform's name in front: "P-IB/ID".
#pragma once

#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace qpcast::calibrate {

/// What one file holds.
struct FileRows {
  std::string file;  ///< its name, for messages
  std::vector<Measurement> rows;
};

/// @throws InputError naming both files where two have a row of one platform and id
std::vector<Measurement> gather(const std::vector<FileRows>& files);

}  // namespace qpcast::calibrate
