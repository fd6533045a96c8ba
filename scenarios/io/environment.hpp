/// The settings users already have: a file of KEY=VALUE lines to a library and layout keys.
///
/// Which variables exist is data: `settings` of each preset, and scenarios/environment.json for
/// those that select a library. Lines may carry `export`, quotes and comments.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/library.hpp"

namespace qpcast::io {

struct EnvironmentSettings {
  Layout layout;                     ///< keys the variables set; `library` if one selects it
  std::vector<std::string> ignored;  ///< communication-library variables without a meaning here
};

/// @param library  the library given on the command line, "" if none; it settles which presets'
///                 settings apply, and a variable that selects another is an error
/// @throws InputError with file, line and variable: no KEY=VALUE, a value that is not understood,
///         a variable set twice, two variables that contradict each other
EnvironmentSettings read_environment(const std::filesystem::path& path, const Presets& presets,
                                     const std::string& library);

/// The variable, and its value, that selects a library (or the one it runs on); the reverse of
/// `read_environment`. Nothing for a library that no variable selects.
std::optional<std::pair<std::string, std::string>> selecting_variable(const Presets& presets,
                                                                      const std::string& library);

}  // namespace qpcast::io
