/// Platforms from and to JSON: what calibration wrote, and the data-sheet facts it starts from.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "model/platform.hpp"

namespace qpcast::io {

/// "schema": "qpcast.platform/1". Numbers are printed so that they read back to the same value;
/// same platform, same bytes.
std::string to_json(const Platform& platform);
/// @throws InputError with file and member
Platform platform_from_json(const std::string& text, const std::string& source);
Platform read_platform(const std::filesystem::path& path);

/// Every *.json in a directory, by platform name.
std::map<std::string, Platform> read_platforms(const std::filesystem::path& directory);

/// Facts by platform name, "schema": "qpcast.platform-facts/1".
std::map<std::string, PlatformFacts> read_facts(const std::filesystem::path& path);

}  // namespace qpcast::io
