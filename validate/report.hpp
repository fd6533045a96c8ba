/// A comparison as JSON, as a table for the terminal, and as the README's accuracy table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "validate/compare.hpp"

namespace qpcast::validate {

/// "schema": "qpcast.validation/1".
nlohmann::ordered_json to_json(const Comparison& comparison);

/// Markdown table: rows, modelled rows, median error, nine-in-ten error and interval coverage by
/// mechanism, and in total.
std::string to_markdown(const Comparison& comparison);

}  // namespace qpcast::validate
