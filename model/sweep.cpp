#include "model/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "model/error.hpp"

namespace qpcast {

namespace {

constexpr std::size_t most_values = 1'000'000;

double parse_bound(std::string_view text, const std::string& key, const std::string& source) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || stop != text.data() + text.size())
    throw InputError{source, key,
                     fmt::format("'{}' is not a number; a range is 1..64*2 or 1..10+3", text)};
  return value;
}

std::vector<std::string> expand_range(const std::string& key, const std::string& text,
                                      const std::string& source) {
  const auto dots = text.find("..");
  const auto step_at = text.find_first_of("*+", dots + 2);
  const double lo = parse_bound(std::string_view{text}.substr(0, dots), key, source);
  const double hi =
      parse_bound(std::string_view{text}.substr(
                      dots + 2, step_at == std::string::npos ? step_at : step_at - dots - 2),
                  key, source);
  const bool geometric = step_at != std::string::npos && text[step_at] == '*';
  const double step = step_at == std::string::npos
                          ? 1
                          : parse_bound(std::string_view{text}.substr(step_at + 1), key, source);
  if (lo > hi) throw InputError{source, key, fmt::format("empty range {}", text)};
  if (geometric ? !(step > 1 && lo > 0) : !(step > 0))
    throw InputError{source, key, fmt::format("range {} never ends; a step must grow", text)};
  std::vector<std::string> values;
  for (double v = lo; v <= hi * (1 + 1e-12); v = geometric ? v * step : v + step) {
    if (values.size() == most_values)
      throw InputError{source, key, fmt::format("range {} has over {} values", text, most_values)};
    values.push_back(fmt::format("{}", v));
  }
  return values;
}

}  // namespace

std::vector<std::string> expand_values(const std::string& key, const std::string& expression,
                                       const std::string& source) {
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= expression.size();) {
    const auto end = std::min(expression.find(',', at), expression.size());
    const auto item = expression.substr(at, end - at);
    at = end + 1;
    if (item.empty()) throw InputError{source, key, "empty value in the list"};
    if (item.find("..") == std::string::npos) {
      values.push_back(item);
    } else {
      const auto range = expand_range(key, item, source);
      values.insert(values.end(), range.begin(), range.end());
    }
  }
  return values;
}

Sweep::Sweep(const std::vector<std::string>& items, const Layout& base, const std::string& source)
    : base_{base} {
  for (const auto& item : items) {
    const auto equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError{source, item, "expected key=value"};
    Axis axis{item.substr(0, equals), {}, {}};
    const auto same = [&](const Axis& a) { return a.key == axis.key; };
    if (std::any_of(axes_.begin(), axes_.end(), same))
      throw InputError{source, axis.key, "given twice; list its values once, as a,b,c"};
    axis.texts = expand_values(axis.key, item.substr(equals + 1), source);
    for (const auto& text : axis.texts) {
      axis.parsed.emplace_back();
      axis.parsed.back().parse(axis.key, text, source);
    }
    if (axis.texts.size() > 1) swept_.push_back(axis.key);
    if (size_ > std::numeric_limits<std::uint64_t>::max() / axis.texts.size())
      throw InputError{source, axis.key, "the sweep has over 2^64 layouts"};
    size_ *= axis.texts.size();
    axes_.push_back(std::move(axis));
  }
}

Layout Sweep::at(std::uint64_t i) const {
  Layout layout = base_;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    const auto& value = axis->parsed[i % axis->parsed.size()];
    i /= axis->parsed.size();
    if (const auto key = find_key(axis->key))
      layout.set(*key, value.number(*key, 0));
    else
      layout.library = value.library;
  }
  return layout;
}

}  // namespace qpcast
