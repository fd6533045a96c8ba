/// What the formats share: numbered lines, numbers, and a measurement with its layout and id.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/import.hpp"

namespace qpcast::import {

/// A line of the output, without its end.
struct Line {
  std::size_t number = 0;  ///< from 1
  std::string_view text;   ///< into the whole text
};

std::vector<Line> lines_of(std::string_view text);
std::string_view trimmed(std::string_view text);
/// Words between blanks and tabs.
std::vector<std::string_view> words(std::string_view text);
/// The whole text as a finite number; nothing otherwise.
std::optional<double> number(std::string_view text);
/// The number at the front, perhaps nan, and what follows it; nothing when there is no number.
struct Leading {
  double value;
  std::string_view rest;
};
std::optional<Leading> leading_number(std::string_view text);

/// Collects the rows of one file.
class RowWriter {
 public:
  RowWriter(std::string source, const Options& options)
      : source_{std::move(source)}, options_{options} {}

  /// Adds a row: `said` is the layout that the output states.
  /// @throws InputError where `Options::known` contradicts it, or the layout itself
  Measurement& add(std::size_t line, const Layout& said, Metric metric, double value);
  void warn(std::size_t line, const std::string& what);
  [[noreturn]] void fail(std::size_t line, const std::string& what,
                         const std::string& advice) const;
  /// The rows. @throws InputError when there are none
  Imported take();
  bool empty() const { return result_.rows.empty(); }
  const Options& options() const { return options_; }

 private:
  std::string source_;
  const Options& options_;
  Imported result_;
  int repeated_ = 0;                ///< rows of a layout and metric that an earlier row has
  std::size_t first_repeated_ = 0;  ///< line of the first of them
};

}  // namespace qpcast::import
