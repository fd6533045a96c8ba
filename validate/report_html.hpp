/// A comparison as one HTML file that needs nothing beside it: what was measured, what was
/// predicted, and what the platform's parameters rest on.
#pragma once

#include <map>
#include <string>

#include "model/platform.hpp"
#include "validate/compare.hpp"

namespace qpcast::validate {

/// Well-formed as XML too. Every row of the comparison is in its table, modelled or not; charts of
/// sweeps beyond `most_sweeps` are left out, and the file says how many.
/// @param title      shown, and the document's title
/// @param platforms  whose parameters are listed: those the rows were compared with
std::string to_html(const Comparison& comparison, const std::map<std::string, Platform>& platforms,
                    const std::string& title);

inline constexpr std::size_t most_sweeps = 30;

}  // namespace qpcast::validate
