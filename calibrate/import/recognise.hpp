/// Whose output a file is, by words that no other tool prints: for a clear message where a file is
/// given as another format's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace qpcast::import {

/// What a file was found to be.
struct Recognised {
  std::string tool;      ///< for people: "nccl-tests", "rows of qpcast", ...
  std::string right;     ///< what to do with it
  std::size_t line = 0;  ///< from 1: where it shows
};

/// Nothing where the text shows marks of `format`, or of no tool that is known.
std::optional<Recognised> recognise_other(std::string_view text, std::string_view format);

}  // namespace qpcast::import
