/// Errors that a user can mend: what is wrong, where, and what would be right.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace qpcast {

/// Bad input. The command line prints `what()` on one line and exits with status 2.
class InputError : public std::runtime_error {
 public:
  /// @param source  file name, "command line", or an object's name
  /// @param field   the key, column or parameter at fault; empty if the whole source is
  /// @param advice  what is wrong and what would be right
  InputError(const std::string& source, const std::string& field, const std::string& advice)
      : std::runtime_error{source + ": " + (field.empty() ? "" : field + ": ") + advice} {}

  /// The same with a line number (from 1).
  InputError(const std::string& source, std::size_t line, const std::string& field,
             const std::string& advice)
      : InputError{source + ":" + std::to_string(line), field, advice} {}
};

}  // namespace qpcast
