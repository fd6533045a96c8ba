/// Facts of a platform that nobody has described, from what its rows recorded.
///
/// `qpcast measure` writes into every row's environment what it saw of the machine. From there:
/// SMs and SM clock of the GPU, name, link rate, link layer and MTU of the NIC, clock of the host's
/// processors, and whether the NIC is a program. Where a fact comes from is stated in the facts'
/// `source`; one that no row tells keeps a general value, and a warning names it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/warning.hpp"
#include "model/measurement.hpp"
#include "model/platform.hpp"

namespace qpcast::calibrate {

/// @param rows  all of one platform, of one device (checks.hpp)
/// @throws InputError for an environment entry that cannot be read
PlatformFacts derive_facts(const std::vector<const Measurement*>& rows, Warnings& warnings);

/// The given facts, and derived ones for every platform that has rows but no facts.
std::map<std::string, PlatformFacts> facts_of(const std::vector<Measurement>& rows,
                                              std::map<std::string, PlatformFacts> known,
                                              Warnings& warnings);

}  // namespace qpcast::calibrate
