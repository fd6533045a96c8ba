/// LibraryPreset: a communication library's way of working, as data (files in scenarios/libraries).
#pragma once

#include <functional>
#include <map>
#include <optional>
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
  /// Environment variable or call argument -> vocabulary key, as `predict --env` reads them and
  /// `advise` prints them.
  struct Setting {
    std::string name;
    Key key;
    std::map<std::string, std::string> values;  ///< spelling -> vocabulary value; empty: as is
    std::string meaning;
    std::string how = "environment";  ///< environment, argument, or build (compiled in)
    bool per_peer = false;            ///< the library makes that many for every peer
    std::vector<double> proposals;    ///< values `advise` may propose; empty: it leaves it alone
    std::optional<double> fallback;   ///< the library's default where `defaults` has none
  };
  std::vector<Setting> settings;
  std::string runs_on;     ///< library whose transport it uses, "" if its own
  bool benchmark = false;  ///< a bare transport to measure with, not a library to deploy
};

/// Every known preset by name.
using Presets = std::map<std::string, LibraryPreset, std::less<>>;

/// The preset that a layout or row names; null when it names none.
/// @throws InputError naming the known presets when the name is unknown
const LibraryPreset* find_preset(const Presets& presets, const std::string& name,
                                 const std::string& source);

}  // namespace qpcast
