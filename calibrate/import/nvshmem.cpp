/// NVSHMEM's perftest: tables of two layouts, and machine-readable lines.
///
///   #shmem_put_latency            +---------------+-------------+
///   size(B)  scope  latency (us)  | shmem_put_bw  | None        |
///   8        thread 5.1           | size (Bytes)  | BW (GB/sec) |
///                                 | 8             | 0.1         |
///   &&&& PERF shmem_put_latency___thread___size__8___latency 5.1 -us
///
/// shmem_put_latency and shmem_p_latency wait for every put (put_completion of one thread); a
/// *_ping_pong_latency is a whole round trip. The bandwidth tests divide `size` among CTAs that
/// each put a part as a block; how many is not printed, so `threads` (CTAs) comes from the command
/// line, 32 where it does not. Source: NVSHMEM's perftest (format only).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/import/rows.hpp"

namespace qpcast::import {

namespace {

constexpr double default_ctas = 32;

struct Test {
  std::string_view name;  ///< as printed; a suffix such as _uni may follow
  enum Kind { completion, round_trip, bandwidth } kind;
};
constexpr Test tests[] = {
    {"shmem_put_latency", Test::completion},
    {"shmem_p_latency", Test::completion},
    {"shmem_put_ping_pong_latency", Test::round_trip},
    {"shmem_p_ping_pong_latency", Test::round_trip},
    {"shmem_put_bw", Test::bandwidth},
};

/// One value of a table, whichever form it came in.
struct Cell {
  std::size_t line;
  std::string test, scope, quantity, unit;
  double size, value;
};

/// "BW (GB/sec)", "BW GB/sec", "latency(us)" to a quantity and a unit.
std::pair<std::string, std::string> quantity_of(std::string_view header) {
  const auto end = header.find_first_of(" (");
  const auto quantity = header.substr(0, end);
  auto unit = end == std::string_view::npos ? "" : trimmed(header.substr(end));
  if (unit.starts_with('(') && unit.ends_with(')')) unit = unit.substr(1, unit.size() - 2);
  return {std::string{quantity}, std::string{trimmed(unit)}};
}

class Reader {
 public:
  explicit Reader(RowWriter& rows) : rows_{rows} {}

  void read(const std::string& text) {
    for (const auto& line : lines_of(text)) {
      if (line.text.starts_with("&&&& PERF")) {
        read_machine(line);
      } else if (line.text.starts_with('|')) {
        read_boxed(line);
      } else if (line.text.starts_with('#')) {
        test_ = trimmed(line.text.substr(1));
        columns_.clear();
      } else if (!test_.empty() && !line.text.starts_with('+')) {
        read_plain(line);
      }
    }
    for (const auto& [name, count] : skipped_)
      rows_.warn(count.first, fmt::format("{}: no mechanism covers it; {} values are left out",
                                          name, count.second));
  }

 private:
  /// &&&& PERF test___scope___size__8___latency 5.1 -us
  void read_machine(const Line& line) {
    const auto parts = words(line.text);
    const auto path = parts.size() > 2 ? parts[2] : std::string_view{};
    if (parts[1] != "PERF")
      rows_.fail(line.number, std::string{parts[1]}, "only PERF lines; run it without -r");
    std::vector<std::string_view> names;
    for (std::size_t at = 0; at <= path.size();) {
      const auto end = std::min(path.find("___", at), path.size());
      names.push_back(path.substr(at, end - at));
      at = end + 3;
    }
    const auto size = names.size() == 4 && names[2].starts_with("size__")
                          ? number(names[2].substr(6))
                          : std::nullopt;
    const auto value = parts.size() == 5 ? number(parts[3]) : std::nullopt;
    if (!size || !value)
      rows_.fail(line.number, std::string{path},
                 "expected TEST___SCOPE___size__N___QUANTITY VALUE +UNIT");
    add({line.number, std::string{names[0]}, std::string{names[1]}, std::string{names[3]},
         std::string{parts[4].substr(1)}, *size, *value});
  }

  /// A title row, a header row, rows of values.
  void read_boxed(const Line& line) {
    std::vector<std::string_view> cells;
    for (std::size_t at = 1; at < line.text.size();) {
      const auto end = line.text.find('|', at);
      if (end == std::string_view::npos)
        rows_.fail(line.number, "|", "the row is cut off; was the run aborted?");
      cells.push_back(trimmed(line.text.substr(at, end - at)));
      at = end + 1;
    }
    if (cells.size() != 2)
      rows_.fail(line.number, "|", fmt::format("expected 2 cells, not {}", cells.size()));
    if (cells[0].starts_with("size")) {
      columns_ = {"size", std::string{cells[1]}};
    } else if (const auto size = number(cells[0])) {
      const auto value = number(cells[1]);
      if (!value || columns_.size() != 2)
        rows_.fail(line.number, std::string{cells[1]}, "not a number under a header");
      const auto [quantity, unit] = quantity_of(columns_[1]);
      add({line.number, test_, scope_, quantity, unit, *size, *value});
    } else {
      test_ = cells[0];
      scope_ = cells[1];
      columns_.clear();
    }
  }

  /// Columns end with two blanks: a header may hold one.
  void read_plain(const Line& line) {
    if (columns_.empty()) {
      if (!line.text.starts_with("size(B)")) return;
      for (auto rest = line.text; !rest.empty();) {
        const auto end = std::min(rest.find("  "), rest.size());
        columns_.emplace_back(trimmed(rest.substr(0, end)));
        rest = trimmed(rest.substr(end));
      }
      return;
    }
    const auto cells = words(line.text);
    if (cells.empty() || !number(cells[0])) {
      test_.clear();  // the table is over
      return;
    }
    if (cells.size() != columns_.size())
      rows_.fail(line.number, std::string{cells[0]},
                 fmt::format("{} values under {} columns; was the run aborted?", cells.size(),
                             columns_.size()));
    const auto scope = std::find(columns_.begin(), columns_.end(), "scope");
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto [quantity, unit] = quantity_of(columns_[c]);
      if (quantity != "latency" && quantity != "BW" && quantity != "msgrate") continue;
      const auto value = number(cells[c]);
      if (!value) rows_.fail(line.number, columns_[c], fmt::format("'{}': a number", cells[c]));
      add({line.number, test_,
           scope == columns_.end()
               ? ""
               : std::string{cells[static_cast<std::size_t>(scope - columns_.begin())]},
           quantity, unit, *number(cells[0]), *value});
      return;
    }
    rows_.fail(line.number, test_, "no column of latency, BW or msgrate");
  }

  void add(const Cell& cell) {
    const auto* const test = std::find_if(std::begin(tests), std::end(tests), [&](const Test& t) {
      const auto rest = std::string_view{cell.test}.substr(0, t.name.size()) == t.name
                            ? std::string_view{cell.test}.substr(t.name.size())
                            : std::string_view{"no"};
      return rest.empty() || rest == "_uni";
    });
    const bool several_threads = cell.scope == "Warp" || cell.scope == "warp" ||
                                 cell.scope == "Block" || cell.scope == "block";
    if (test == std::end(tests) || (test->kind != Test::bandwidth && several_threads)) {
      auto& skipped = skipped_[several_threads ? cell.test + " by " + cell.scope : cell.test];
      if (skipped.second++ == 0) skipped.first = cell.line;
      return;
    }
    if (!(cell.value > 0)) {
      rows_.warn(cell.line, fmt::format("{} of 0 is none; the row is left out", cell.quantity));
      return;
    }
    test->kind == Test::bandwidth ? add_bandwidth(cell) : add_latency(cell, *test);
  }

  void add_latency(const Cell& cell, const Test& test) {
    if (cell.unit != "us") rows_.fail(cell.line, cell.unit, "expected a latency in us");
    Layout l;
    l.set(Key::threads, 1);
    l.set(Key::payload, cell.size);
    rows_.add(cell.line, l, test.kind == Test::round_trip ? Metric::rtt : Metric::put_completion,
              cell.value);
  }

  void add_bandwidth(const Cell& cell) {
    const double ctas = rows_.options().known.number(Key::threads, default_ctas);
    Layout l;
    l.set(Key::threads, ctas);
    l.set(Key::sms, rows_.options().known.number(Key::sms, ctas));
    l.set(Key::payload, std::max(1.0, std::floor(cell.size / ctas)));
    if (cell.quantity == "msgrate" && cell.unit == "MMPS")
      rows_.add(cell.line, l, Metric::rate, cell.value);
    else if (cell.quantity == "BW" && (cell.unit == "GB/sec" || cell.unit == "GB/s"))
      rows_.add(cell.line, l, Metric::goodput, cell.value);
    else
      rows_.fail(cell.line, cell.quantity + " " + cell.unit,
                 "expected BW in GB/sec or msgrate in MMPS");
  }

  RowWriter& rows_;
  std::string test_, scope_;
  std::vector<std::string> columns_;
  std::map<std::string, std::pair<std::size_t, int>> skipped_;  ///< test: first line, values
};

}  // namespace

Imported nvshmem_perftest(const std::string& text, const std::string& source,
                          const Options& options) {
  RowWriter rows{source, options};
  Reader{rows}.read(text);
  return rows.take();
}

}  // namespace qpcast::import
