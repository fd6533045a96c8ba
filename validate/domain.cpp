#include "validate/domain.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qpcast::validate {

namespace {
std::string submitter_of(const Layout& layout) {
  const auto text = layout.text(Key::submitter);
  return text.empty() ? "unnamed" : text;
}

/// A number that only says yes or no is a choice.
bool is_choice(const Field& f) { return !f.choices.empty() || (f.lowest == 0 && f.highest == 1); }
}  // namespace

CalibratedDomain::CalibratedDomain(const std::vector<std::string>& layouts) {
  for (const auto& text : layouts) {
    const auto layout = parse_layout(text, "calibrated layouts");
    auto& ranges = by_submitter_[submitter_of(layout)];
    for (const auto& f : fields()) {
      if (!layout.has(f.key)) continue;
      const double value = layout.number(f.key, 0);
      auto& range = ranges.try_emplace(f.key, Range{value, value, {}}).first->second;
      range.lo = std::min(range.lo, value);
      range.hi = std::max(range.hi, value);
      range.values.insert(value);
    }
  }
}

std::vector<std::string> CalibratedDomain::outside(const Layout& layout) const {
  const auto submitter = submitter_of(layout);
  const auto known = by_submitter_.find(submitter);
  if (known == by_submitter_.end())
    return {fmt::format("no layout with submitter={} was calibrated", submitter)};
  std::vector<std::string> out;
  for (const auto& f : fields()) {
    if (!layout.has(f.key)) continue;
    const auto it = known->second.find(f.key);
    if (it == known->second.end()) {
      out.push_back(fmt::format("{}={} was never varied", f.name, layout.text(f.key)));
      continue;
    }
    const auto& range = it->second;
    const double value = layout.number(f.key, 0);
    if (is_choice(f) && !range.values.contains(value))
      out.push_back(fmt::format("{}={} was not calibrated", f.name, layout.text(f.key)));
    else if (!is_choice(f) && (value < range.lo || value > range.hi))
      out.push_back(fmt::format("{}={} is outside {:g}..{:g}", f.name, layout.text(f.key), range.lo,
                                range.hi));
  }
  return out;
}

}  // namespace qpcast::validate
