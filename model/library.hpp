/// LibraryPreset: a communication library's way of working, as data (files in scenarios/libraries).
#pragma once

#include <array>
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
  Layout defaults;  ///< keys the library fixes or defaults
  /// Cost profile by cost kind; the "*" entry (at the index of no kind) is `profile`.
  std::string profile;
  std::map<Cost, std::string> profile_of;
  /// Environment variable or call argument -> vocabulary key, as `predict --env` reads them.
  struct Setting {
    std::string name;
    Key key;
    std::map<std::string, std::string> values;  ///< spelling -> vocabulary value; empty: as is
    std::string meaning;
  };
  std::vector<Setting> settings;
};

}  // namespace qpcast
