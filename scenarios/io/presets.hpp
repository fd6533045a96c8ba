/// Library presets from scenarios/libraries/*.json; scenarios/README.md explains the format.
#pragma once

#include <filesystem>
#include <string>

#include "model/library.hpp"

namespace qpcast::io {

/// "schema": "qpcast.library/1". @throws InputError with file and member
LibraryPreset preset_from_json(const std::string& text, const std::string& source);

/// Every *.json of a directory. @throws InputError
Presets read_presets(const std::filesystem::path& directory);

/// Where qpcast's data and scenarios are: $QPCAST_DATA if set, else beside the installed
/// executable (../share/qpcast), else the source tree it was built from.
/// @throws InputError when none of them has `relative`
std::filesystem::path data_path(const std::filesystem::path& relative);

}  // namespace qpcast::io
