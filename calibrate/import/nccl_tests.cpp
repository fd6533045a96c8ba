/// nccl-tests: the tables of alltoall_perf and sendrecv_perf.
///
///   # Collective test starting: alltoall_perf
///   # nThread 1 nGpus 1 ...
///   #  Rank  0 Group  0 Pid ... on HOST device 0 [...] ...
///   #       size         count      type   redop    root     time   algbw   busbw #wrong  ...
///         8388608        524288     float    none      -1    512.3   16.37   15.35      0 ...
///
/// `busbw` is what one rank sends to the others: size (n - 1) / n for alltoall, size for sendrecv,
/// in 1e9 B/s. It is a NIC's goodput where every rank has a node of its own; ranks that share a
/// host exchange through NVLink, so their tables are refused. A message is what one peer gets in
/// one operation. Below 64 KiB of it, the operation's launch and protocol take the time, which no
/// mechanism covers. Source: nccl-tests' doc/PERFORMANCE.md and output format.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/import/rows.hpp"

namespace qpcast::import {

namespace {

constexpr double least_payload = 65536;  // B

class Reader {
 public:
  explicit Reader(RowWriter& rows) : rows_{rows} {}

  void read(const std::string& text) {
    std::size_t last = 1;
    for (const auto& line : lines_of(text)) {
      last = line.number;
      if (line.text.starts_with('#'))
        read_comment(line);
      else if (!columns_.empty())
        read_row(line);
    }
    if (columns_.empty())
      rows_.fail(last, "no results", "no nccl-tests table; was the run aborted?");
    if (!finished_ && !rows_.options().partial)
      rows_.fail(last, test_, "the run was cut off before its summary; --partial takes its rows");
    if (!finished_) rows_.warn(last, "the run was cut off; its complete rows are taken");
    if (small_ > 0)
      rows_.warn(last, fmt::format("{} sizes below {} B a peer are left out: launch and protocol "
                                   "have no mechanism",
                                   small_, least_payload));
  }

 private:
  void read_comment(const Line& line) {
    const auto parts = words(line.text.substr(1));
    if (line.text.find("Avg bus bandwidth") != std::string_view::npos) finished_ = true;
    if (parts.empty()) return;
    if (parts[0] == "Rank") {
      ++ranks_;
      const auto on = std::find(parts.begin(), parts.end(), "on");
      if (on + 1 < parts.end() && !hosts_.emplace(*(on + 1)).second) shared_ = line.number;
    } else if (parts[0] == "size") {
      start(line, parts);
    } else if (parts[0] == "Collective" && parts.size() > 3 && parts[2] == "starting:") {
      test_ = parts[3];
    }
  }

  void start(const Line& line, const std::vector<std::string_view>& parts) {
    columns_.assign(parts.begin(), parts.end());
    for (const char* name : {"size", "type", "time", "algbw", "busbw", "#wrong"})
      if (std::find(columns_.begin(), columns_.end(), name) == columns_.end())
        rows_.fail(line.number, name, "the table has no such column");
    if (test_.empty()) test_ = rows_.options().known.has(Key::role) ? "as given" : "";
    if (test_.empty())
      rows_.fail(line.number, "table",
                 "the output does not name its test; give role=all-to-all or role=bidirectional");
    if (test_ != "as given" && test_ != "alltoall_perf" && test_ != "sendrecv_perf")
      rows_.fail(line.number, test_, "only alltoall_perf and sendrecv_perf are point to point");
    if (shared_ > 0)
      rows_.fail(shared_, "Rank",
                 "two ranks on one host exchange through NVLink; run one rank a node");
    if (ranks_ == 0) ranks_ = rows_.options().known.number(Key::pes, 0);
    if (ranks_ < 2) rows_.fail(line.number, "Rank", "no list of ranks above; give pes=N");
  }

  void read_row(const Line& line) {
    const auto cells = words(line.text);
    if (cells.empty()) return;
    if (!number(cells[0])) {
      if (line.text.find("failure") != std::string_view::npos ||
          line.text.find("error") != std::string_view::npos)
        rows_.fail(line.number, test_, fmt::format("the run says: {}", line.text));
      return;  // NCCL's own log lines
    }
    if (cells.size() != columns_.size()) {
      if (rows_.options().partial) return;
      rows_.fail(line.number, std::string{cells[0]},
                 fmt::format("{} values under {} columns; was the run aborted?", cells.size(),
                             columns_.size()));
    }
    const auto cell = [&](const char* name) {
      const auto at = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
      return cells[static_cast<std::size_t>(at)];
    };
    const auto size = number(cell("size")), busbw = number(cell("busbw"));
    if (!size || !busbw)
      rows_.fail(line.number, std::string{cell("busbw")}, "expected a number in busbw");
    if (const auto wrong = number(cell("#wrong")); wrong && *wrong > 0)
      rows_.fail(line.number, "#wrong", fmt::format("{} wrong values: not a measurement", *wrong));
    add(line, *size, *busbw);
  }

  void add(const Line& line, double size, double busbw) {
    const bool pairwise = test_ == "sendrecv_perf";
    const double payload = pairwise ? size : std::floor(size / ranks_);
    if (payload < least_payload) {
      ++small_;
      return;
    }
    if (!(busbw > 0)) {
      rows_.warn(line.number, "a bandwidth of 0 is none; the row is left out");
      return;
    }
    Layout l;
    l.set(Key::payload, payload);
    l.set(Key::role, pairwise || ranks_ == 2 ? Role::bidirectional : Role::all_to_all);
    l.set(Key::pes, ranks_);
    if (test_ == "as given") l.clear(Key::role);
    rows_.add(line.number, l, Metric::goodput, busbw);
  }

  RowWriter& rows_;
  std::string test_;
  std::vector<std::string> columns_;
  std::set<std::string> hosts_;
  double ranks_ = 0;
  std::size_t shared_ = 0;  ///< line of a second rank on one host
  int small_ = 0;
  bool finished_ = false;
};

}  // namespace

Imported nccl_tests(const std::string& text, const std::string& source, const Options& options) {
  RowWriter rows{source, options};
  Reader{rows}.read(text);
  return rows.take();
}

}  // namespace qpcast::import
