/// Tables and progress for people; nothing here when the output is not a terminal.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace qpcast::cli {

/// Whether standard output takes colour: a terminal, and NO_COLOR is not set.
bool colour();
/// The text in bold, or red, if `colour()`.
std::string bold(const std::string& text);
std::string red(const std::string& text);

/// Columns aligned to their widest cell. Cells starting with '<' in the header align left.
class Table {
 public:
  /// Headers; a leading '<' marks a left-aligned column.
  explicit Table(std::vector<std::string> headers);
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::string> headers_;
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> rows_;
};

/// A bar on standard error that appears after two seconds, with the time left.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `done` in 0..1.
  void update(double done);

 private:
  std::string what_;
  std::chrono::steady_clock::time_point start_, last_;
  bool shown_ = false;
};

/// A number with four significant digits, as tables print it.
std::string number(double value);

}  // namespace qpcast::cli
