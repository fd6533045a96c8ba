#include "calibrate/import/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/error.hpp"

namespace qpcast::import {

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back({lines.size() + 1, trimmed(text.substr(0, end))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  constexpr std::string_view blank = " \t\r";
  for (std::size_t at = text.find_first_not_of(blank); at != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(blank, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blank, end);
  }
  return out;
}

std::optional<Leading> leading_number(std::string_view text) {
  double value = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc{}) return std::nullopt;
  return Leading{value, text.substr(static_cast<std::size_t>(stop - text.data()))};
}

std::optional<double> number(std::string_view text) {
  const auto n = leading_number(text);
  return n && n->rest.empty() && std::isfinite(n->value) ? std::optional{n->value} : std::nullopt;
}

namespace {

std::string stem(const std::string& source) {
  const auto slash = source.find_last_of('/');
  auto name = slash == std::string::npos ? source : source.substr(slash + 1);
  return name.substr(0, name.find_last_of('.'));
}

}  // namespace

Measurement& RowWriter::add(std::size_t line, const Layout& said, Metric metric, double value) {
  const auto& known = options_.known;
  Measurement m;
  m.where = fmt::format("{}:{}", source_, line);
  m.layout = said;
  for (const auto& f : fields()) {
    if (!known.has(f.key)) continue;
    if (said.has(f.key) && said.number(f.key, 0) != known.number(f.key, 0))
      fail(line, std::string{f.name},
           fmt::format("the output says {}, the command line {}", said.text(f.key),
                       known.text(f.key)));
    m.layout.set(f.key, known.number(f.key, 0));
  }
  m.layout.check(m.where);
  m.library = known.library;
  m.platform = options_.platform;
  m.metric = metric;
  m.value = value;
  m.unit = metric_unit(metric);
  m.passes = 1;
  m.source = {"imported", source_};
  m.id = fmt::format("{}:{}:{}", stem(source_), m.layout.to_string(), metric_name(metric));
  const auto same = [&](const Measurement& other) { return other.id == m.id; };
  if (std::any_of(result_.rows.begin(), result_.rows.end(), same)) {
    m.id += fmt::format(":line {}", line);
    if (repeated_++ == 0) first_repeated_ = line;
  }
  result_.rows.push_back(std::move(m));
  return result_.rows.back();
}

void RowWriter::warn(std::size_t line, const std::string& what) {
  result_.warnings.push_back(fmt::format("{}:{}: {}", source_, line, what));
}

void RowWriter::fail(std::size_t line, const std::string& what, const std::string& advice) const {
  throw InputError{source_, line, what, advice};
}

Imported RowWriter::take() {
  if (repeated_ > 0)
    warn(first_repeated_,
         fmt::format("repeated-layout: {} rows from here on have the layout and metric of an "
                     "earlier one; all are taken, as repetitions",
                     repeated_));
  if (!result_.rows.empty()) return std::move(result_);
  throw InputError{source_, "",
                   result_.warnings.empty() ? "no results in it"
                                            : "no row is left: " + result_.warnings.front()};
}

}  // namespace qpcast::import
