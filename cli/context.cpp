#include "cli/context.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "model/error.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"

namespace qpcast::cli {

CLI::Validator a_number() {
  return {[](const std::string& text) {
            return std::isnan(std::strtod(text.c_str(), nullptr)) ? "not a number" : std::string{};
          },
          ""};
}

std::map<std::string, Platform> load_platforms() {
  return io::read_platforms(io::data_path("data/platforms"));
}

Presets load_presets() { return io::read_presets(io::data_path("scenarios/libraries")); }

Platform load_platform(const std::string& name_or_path, const char* option) {
  if (name_or_path.ends_with(".json")) return io::read_platform(name_or_path);
  const auto known = load_platforms();
  if (const auto it = known.find(name_or_path); it != known.end()) return it->second;
  std::string names;
  for (const auto& [name, platform] : known) names += (names.empty() ? "" : ", ") + name;
  throw InputError{
      command_line, option,
      fmt::format("unknown platform '{}'; known: {}, or a .json file", name_or_path, names)};
}

Layout parse_arguments(const std::vector<std::string>& items, const std::string& library) {
  std::string text;
  for (const auto& item : items) {
    if (item.find(';') != std::string::npos)
      throw InputError{command_line, item, "one key=value per argument"};
    text += item + ";";
  }
  auto layout = parse_layout(text, command_line);
  if (!library.empty() && !layout.library.empty() && library != layout.library)
    throw InputError{command_line, "library",
                     fmt::format("given as {} and as {}", library, layout.library)};
  if (!library.empty()) layout.library = library;
  layout.check(command_line);
  return layout;
}

}  // namespace qpcast::cli
