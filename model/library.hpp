/// LibraryPreset: a communication library's way of working, as data (files in scenarios/libraries).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/layout.hpp"
#include "model/parameters.hpp"

namespace qpcast {

/// What a preset file says. A layout's own keys always win over the preset's.
struct LibraryPreset {
  std::string name;
  std::string description;
  Layout defaults;                         ///< keys the library fixes or defaults
  std::string profile;                     ///< cost profile (parameters `library.PROFILE.*`)
  std::map<Cost, std::string> profile_of;  ///< costs that another profile serves, or "none"
  static constexpr const char* no_cost = "none";
  /// Where a layout key decides the code path, the costs that change profile with it.
  struct Variant {
    Key key;
    double value;  ///< number or choice index
    std::string profile;
    std::vector<Cost> costs;
  };
  std::vector<Variant> variants;
  /// Environment variable or call argument -> vocabulary key, as `predict --env` reads them.
  struct Setting {
    std::string name;
    Key key;
    std::map<std::string, std::string> values;  ///< spelling -> vocabulary value; empty: as is
    std::string meaning;
  };
  std::vector<Setting> settings;
};

/// Every known preset by name.
using Presets = std::map<std::string, LibraryPreset, std::less<>>;

/// The preset that a layout or row names; null when it names none.
/// @throws InputError naming the known presets when the name is unknown
const LibraryPreset* find_preset(const Presets& presets, const std::string& name,
                                 const std::string& source);

}  // namespace qpcast
