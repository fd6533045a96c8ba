#include "model/platform.hpp"

#include <algorithm>

#include "model/error.hpp"

namespace qpcast {

namespace {
constexpr std::string_view library_prefix = "library.";
}

std::string wrong_in_platform_name(std::string_view name) {
  if (name.empty()) return "empty; name the platform it was measured on";
  const bool bad = name.front() == '.' || std::any_of(name.begin(), name.end(), [](char c) {
                     return c == '/' || static_cast<unsigned char>(c) < ' ' || c == 0x7f;
                   });
  return bad ? "a name that could be a file's: no slash, no control character, no dot in front"
             : "";
}

const Parameter* Platform::find(std::string_view parameter) const {
  const auto it = std::find_if(parameters.begin(), parameters.end(),
                               [&](const Parameter& p) { return p.name == parameter; });
  return it == parameters.end() ? nullptr : &*it;
}

ParameterValues::ParameterValues() {
  values_.reserve(param_count + 16 * cost_count);
  for (const auto& p : parameter_table()) values_.push_back(p.prior);
}

ParameterValues::ParameterValues(const Platform& platform) : ParameterValues{} {
  if (!platform.parameters.empty()) given_.resize(values_.size());
  for (const auto& p : platform.parameters) {
    const auto at = find(p.name);
    if (!at)
      throw InputError{platform.name, p.name, "unknown parameter; 'qpcast platforms' lists them"};
    values_[*at] = p.value;
    given_.resize(values_.size());  // find() may have added a profile
    given_[*at] = 1;
  }
}

int ParameterValues::find_profile(const std::string& name) const {
  const auto it = std::find(profiles_.begin(), profiles_.end(), name);
  return it == profiles_.end() ? -1 : static_cast<int>(it - profiles_.begin());
}

int ParameterValues::profile(const std::string& name) {
  if (const int known = find_profile(name); known >= 0) return known;
  profiles_.push_back(name);
  for (const auto& c : cost_table()) values_.push_back(c.prior);
  return static_cast<int>(profiles_.size()) - 1;
}

std::string ParameterValues::name(std::size_t index) const {
  if (index < param_count) return std::string{info(index).name};
  const auto& profile = profiles_.at((index - param_count) / cost_count);
  return std::string{library_prefix} + profile + "." + std::string{info(index).name};
}

const ParameterInfo& ParameterValues::info(std::size_t index) const {
  if (index < param_count) return parameter_table()[index];
  return cost_table()[(index - param_count) % cost_count];
}

std::optional<std::size_t> ParameterValues::find(std::string_view full_name) {
  if (!full_name.starts_with(library_prefix)) {
    const auto p = find_param(full_name);
    return p ? std::optional{index(*p)} : std::nullopt;
  }
  const auto rest = full_name.substr(library_prefix.size());
  const auto dot = rest.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto cost = find_cost(rest.substr(dot + 1));
  if (!cost) return std::nullopt;
  return index(profile(std::string{rest.substr(0, dot)}), *cost);
}

}  // namespace qpcast
