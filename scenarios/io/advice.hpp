/// Advice to JSON, "schema": "qpcast.advice/1".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/advise/advise.hpp"

namespace qpcast::io {

/// @param advices  one for each library considered, best first
/// @param skipped  libraries that were not, with the reason
nlohmann::ordered_json to_json(const std::vector<advise::Advice>& advices,
                               const std::vector<std::pair<std::string, std::string>>& skipped,
                               const Platform& platform, const Presets& presets);

/// The settings that turn the library's default into a candidate, the variable that selects the
/// library first.
std::vector<advise::Change> settings_of(const advise::Candidate& candidate,
                                        const std::string& library, const Presets& presets);

}  // namespace qpcast::io
