#include "model/library.hpp"

#include <fmt/format.h>

#include "model/error.hpp"

namespace qpcast {

const LibraryPreset* find_preset(const Presets& presets, const std::string& name,
                                 const std::string& source) {
  if (name.empty()) return nullptr;
  const auto it = presets.find(name);
  if (it != presets.end()) return &it->second;
  std::string names;
  for (const auto& [known, preset] : presets) names += (names.empty() ? "" : ", ") + known;
  throw InputError{source, "library", fmt::format("unknown preset '{}'; known: {}", name, names)};
}

}  // namespace qpcast
