/// CSV with a header row and RFC 4180 quoting.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace qpcast::io {

class CsvTable {
 public:
  /// @throws InputError with file and line for an unclosed quote or a row of another width
  CsvTable(const std::string& text, std::string source);

  std::size_t rows() const { return records_.size(); }
  /// Line of a row in the file, from 1.
  std::size_t line(std::size_t row) const { return records_.at(row).line; }
  /// @throws InputError when the header lacks the column
  void require(const std::string& column) const;
  const std::string& cell(std::size_t row, const std::string& column) const {
    return records_.at(row).cells.at(columns_.at(column));
  }

 private:
  struct Record {
    std::size_t line = 1;
    std::vector<std::string> cells;
  };
  std::vector<Record> parse(const std::string& text) const;

  std::string source_;
  std::map<std::string, std::size_t> columns_;
  std::vector<Record> records_;
};

}  // namespace qpcast::io
