#include <fmt/format.h>

#include <algorithm>

#include "calibrate/import/perftest.hpp"

namespace qpcast::import {

namespace {

/// Column headers of perftest 4 to 6, longest first where one begins another.
constexpr std::pair<std::string_view, const char*> headers[] = {
    {"#bytes", "bytes"},
    {"#iterations", "iterations"},
    {"BW peak[MB/sec]", "peak"},
    {"BW peak[MiB/sec]", "peak"},
    {"BW peak[Gb/sec]", "peak"},
    {"BW average[MB/sec]", "MiB/s"},
    {"BW average[MiB/sec]", "MiB/s"},
    {"BW average[Gb/sec]", "Gb/s"},
    {"MsgRate[Mpps]", "rate"},
    {"CPU_Util[%]", "cpu"},
    {"t_min[usec]", "t_min"},
    {"t_max[usec]", "t_max"},
    {"t_typical[usec]", "t_typical"},
    {"t_avg[usec]", "t_avg"},
    {"t_stdev[usec]", "t_stdev"},
    {"99% percentile[usec]", "p99"},
    {"99.9% percentile[usec]", "p999"},
    {"tps average", "tps"},
};

/// Perftest's own remark, which a terminal may put behind a row without a line end.
constexpr std::string_view clock_remark = "Correlation coefficient";

bool is_rule(std::string_view text) {
  return text.size() >= 20 && text.find_first_not_of('-') == std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(RowWriter& rows) : rows_{rows} {}

  std::vector<PerftestRun> read(const std::string& text) {
    const auto lines = lines_of(text);
    for (const auto& line : lines) take(line);
    const auto last = lines.empty() ? 1 : lines.back().number;
    if (columns_.empty() && waiting_) rows_.fail(last, "no results", said());
    if (!columns_.empty()) {
      runs_.back().cut_off = last;
      // The last number may lack digits.
      if (!text.ends_with('\n') && !runs_.back().results.empty()) runs_.back().results.pop_back();
    }
    if (runs_.empty()) rows_.fail(last, "no results", said());
    return std::move(runs_);
  }

 private:
  std::string said() const {
    return remark_.empty() ? "no perftest table; was the run aborted?"
                           : fmt::format("the run says: {}", remark_);
  }

  void take(const Line& line) {
    if (line.text.empty()) return;
    if (line.text.find(" Test") != std::string_view::npos && columns_.empty() &&
        line.text.find(':') == std::string_view::npos) {
      start(line);
    } else if (line.text.starts_with("#bytes")) {
      read_header(line);
    } else if (!columns_.empty()) {
      is_rule(line.text) ? columns_.clear() : read_row(line);
    } else if (!is_rule(line.text) && !(waiting_ && read_settings(line.text))) {
      remark_ = std::string{line.text};
    }
  }

  void start(const Line& line) {
    if (waiting_) rows_.fail(line.number, runs_.back().test, "it has no table; " + said());
    runs_.push_back({line.number, std::string{line.text}, {}, {}, 0, {}});
    waiting_ = true;
  }

  /// "Number of qps   : 1		Transport type : IB": one or two settings a line.
  bool read_settings(std::string_view text) {
    if (text.find(':') == std::string_view::npos) return false;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find("\t\t", at), text.size());
      const auto item = text.substr(at, end - at);
      at = end + 2;
      const auto colon = item.find(':');
      if (colon == std::string_view::npos) continue;
      runs_.back().info[std::string{trimmed(item.substr(0, colon))}] =
          std::string{trimmed(item.substr(colon + 1))};
    }
    return true;
  }

  void read_header(const Line& line) {
    if (!waiting_) rows_.fail(line.number, "#bytes", "a table without a test's title above it");
    auto rest = line.text;
    while (!(rest = trimmed(rest)).empty()) {
      const auto* const known =
          std::find_if(std::begin(headers), std::end(headers),
                       [&](const auto& h) { return rest.starts_with(h.first); });
      if (known == std::end(headers))
        rows_.fail(line.number, std::string{rest}, "a column that is not known");
      columns_.emplace_back(known->second);
      rest.remove_prefix(known->first.size());
    }
    waiting_ = false;
  }

  void read_row(const Line& line) {
    if (line.text.starts_with(clock_remark)) return remark(line);
    PerftestResult r;
    r.line = line.number;
    auto rest = line.text;
    for (const auto& column : columns_) {
      rest = trimmed(rest);
      const auto n = leading_number(rest);
      if (!n) return cut_off(line);  // an error message, or where the output stops
      r.columns[column] = n->value;
      rest = n->rest;
    }
    runs_.back().results.push_back(std::move(r));
    if (const auto tail = trimmed(rest); tail.starts_with(clock_remark))
      remark(line);
    else if (leading_number(tail))
      rows_.fail(line.number, std::string{tail}, "more than the header has columns");
    else if (!tail.empty())
      cut_off({line.number, tail});
  }

  void cut_off(const Line& line) {
    runs_.back().cut_off = line.number;
    runs_.back().remark = std::string{line.text};
    columns_.clear();
  }

  void remark(const Line& line) {
    rows_.warn(line.number, "perftest could not tell its clock's frequency well; times may be off");
  }

  RowWriter& rows_;
  std::vector<PerftestRun> runs_;
  std::vector<std::string> columns_;  ///< of the table being read; empty outside one
  bool waiting_ = false;              ///< a title was read, its table not yet
  std::string remark_;                ///< last line that was none of a report's
};

}  // namespace

std::vector<PerftestRun> parse_perftest_text(const std::string& text, RowWriter& rows) {
  return Reader{rows}.read(text);
}

}  // namespace qpcast::import
