#include "scenarios/io/csv.hpp"

#include <fmt/format.h>

#include "model/error.hpp"
#include "scenarios/io/measurements.hpp"

namespace qpcast::io {

CsvTable::CsvTable(const std::string& text, std::string source) : source_{std::move(source)} {
  records_ = parse(text);
  if (records_.empty()) throw InputError{source_, "", "empty; expected a header row"};
  const auto header = records_.front().cells;
  records_.erase(records_.begin());
  for (std::size_t i = 0; i < header.size(); ++i)
    if (!columns_.emplace(header[i], i).second)
      throw InputError{source_, 1, header[i], "column given twice"};
  for (const auto& r : records_)
    if (r.cells.size() != header.size())
      throw InputError{source_, r.line, "",
                       fmt::format("{} fields, but the header has {}; is the file truncated?",
                                   r.cells.size(), header.size())};
}

void CsvTable::require(const std::string& column) const {
  if (!columns_.contains(column)) throw InputError{source_, 1, column, "missing column"};
}

std::vector<CsvTable::Record> CsvTable::parse(const std::string& text) const {
  std::vector<Record> records;
  Record record;
  std::string cell;
  std::size_t line = 1;
  bool quoted = false, any = false;
  const auto end_cell = [&] {
    record.cells.push_back(std::move(cell));
    cell.clear();
  };
  const auto end_record = [&] {
    if (any) {
      end_cell();
      records.push_back(std::move(record));
    }
    record = Record{line + 1, {}};
    any = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (quoted || (c != ',' && c != '\n' && c != '\r')) {
      cell += c;
      any = true;
    } else if (c == ',') {
      end_cell();
      any = true;
    } else if (c == '\n') {
      end_record();
    }
    if (c == '\n') ++line;
  }
  if (quoted) throw InputError{source_, record.line, "", "a quote is never closed"};
  end_record();
  return records;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string{"\"\""} : std::string{c};
  return out + "\"";
}

}  // namespace qpcast::io
