#include <fmt/format.h>

#include <algorithm>

#include "calibrate/import/perftest.hpp"

namespace qpcast::import {

namespace {

/// Members of `results`. Bandwidth is left out: the file does not say in which unit it is.
constexpr std::pair<std::string_view, const char*> members[] = {
    {"MsgSize", "bytes"},     {"n_iterations", "iterations"},
    {"MsgRate", "rate"},      {"t_min", "t_min"},
    {"t_max", "t_max"},       {"t_typical", "t_typical"},
    {"t_avg", "t_avg"},       {"t_stdev", "t_stdev"},
    {"percentile_99", "p99"}, {"percentile_99.9", "p999"},
    {"tps_average", "tps"},   {"CPU_util", "cpu"},
    {"BW_peak", ""},          {"BW_average", ""},
};

/// Member names of `test_info` as the text form spells them.
constexpr std::pair<std::string_view, const char*> settings[] = {
    {"Number_of_qps", "Number of qps"},
    {"Connection_type", "Connection type"},
    {"TX_depth", "TX depth"},
    {"Post_List", "Post List"},
    {"CQ_Moderation", "CQ Moderation"},
    {"Mtu", "Mtu"},
    {"Link_type", "Link type"},
    {"Max_inline_data", "Max inline data"},
    {"Device", "Device"},
};

std::string_view unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with(',')) text = trimmed(text.substr(0, text.size() - 1));
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

class Reader {
 public:
  explicit Reader(RowWriter& rows) : rows_{rows} {}

  std::vector<PerftestRun> read(const std::string& text) {
    std::size_t last = 1;
    for (const auto& line : lines_of(text)) {
      last = line.number;
      take(line);
    }
    if (depth_ != 0) rows_.fail(last, "end of file", "the report is cut off; was the run aborted?");
    if (run_.results.empty()) rows_.fail(last, "results", "none; was the run aborted?");
    return {run_};
  }

 private:
  void take(const Line& line) {
    const auto text = line.text;
    if (text.empty()) return;
    if (text.ends_with('{')) {
      ++depth_;
      const auto name = unquoted(text.substr(0, text.find(':')));
      section_ = depth_ == 2 ? std::string{name} : "";
      if (section_ == "results") run_.results.push_back({line.number, {}});
    } else if (text.starts_with('}')) {
      if (--depth_ < 0) rows_.fail(line.number, "}", "closes nothing");
      section_.clear();
    } else {
      read_member(line);
    }
  }

  void read_member(const Line& line) {
    const auto colon = line.text.find(':');
    if (colon == std::string_view::npos)
      rows_.fail(line.number, std::string{line.text},
                 "expected 'name: value'; was the run aborted?");
    const auto name = unquoted(line.text.substr(0, colon));
    const auto value = unquoted(line.text.substr(colon + 1));
    if (section_ == "test_info") read_setting(line, name, value);
    if (section_ == "results") read_result(line, name, value);
  }

  void read_setting(const Line& line, std::string_view name, std::string_view value) {
    if (name == "test") {
      run_.line = line.number;
      run_.test = value;
      std::replace(run_.test.begin(), run_.test.end(), '_', ' ');
    }
    for (const auto& [member, setting] : settings)
      if (member == name) run_.info[setting] = std::string{value};
  }

  void read_result(const Line& line, std::string_view name, std::string_view value) {
    const auto* const known = std::find_if(std::begin(members), std::end(members),
                                           [&](const auto& m) { return m.first == name; });
    if (known == std::end(members))
      rows_.fail(line.number, std::string{name}, "a member of 'results' that is not known");
    const auto n = leading_number(value);  // nan where there was one iteration
    if (!n || !n->rest.empty())
      rows_.fail(line.number, std::string{name}, fmt::format("'{}' is not a number", value));
    if (*known->second != '\0') run_.results.back().columns[known->second] = n->value;
  }

  RowWriter& rows_;
  PerftestRun run_;
  std::string section_;
  int depth_ = 0;
};

}  // namespace

std::vector<PerftestRun> parse_perftest_json(const std::string& text, RowWriter& rows) {
  auto runs = Reader{rows}.read(text);
  for (const auto& run : runs)
    for (const auto& r : run.results)
      if (!r.columns.contains("bytes")) rows.fail(r.line, "MsgSize", "missing");
  return runs;
}

}  // namespace qpcast::import
