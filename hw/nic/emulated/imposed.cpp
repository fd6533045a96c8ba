#include "hw/nic/emulated/imposed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <vector>

#include "model/error.hpp"

namespace qpcast::hw::emulated {

namespace {

template <class Value>
using Names = std::vector<std::pair<std::string_view, Value>>;

const Names<Mode>& modes() {
  static const Names<Mode> names{{"execute", Mode::execute}, {"sink", Mode::sink}};
  return names;
}
const Names<Replacement>& replacements() {
  static const Names<Replacement> names{{"lru", Replacement::lru}, {"random", Replacement::random}};
  return names;
}
const Names<Fault>& faults() {
  static const Names<Fault> names{{"none", Fault::none},
                                  {"queue-error", Fault::queue_error},
                                  {"completion-overrun", Fault::completion_overrun},
                                  {"peer-dead", Fault::peer_dead},
                                  {"device-removed", Fault::device_removed}};
  return names;
}

[[noreturn]] void refuse(std::string_view key, const std::string& advice) {
  throw InputError{"emulated NIC", std::string{key}, advice};
}

template <class Value>
Value choice(std::string_view key, std::string_view text, const Names<Value>& names) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    known.push_back(name);
  }
  refuse(key, fmt::format("'{}' is not one of {}", text, fmt::join(known, ", ")));
}

template <class Value>
std::string_view name_of(Value value, const Names<Value>& names) {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  return "";
}

double number(std::string_view key, std::string_view text, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= most))
    refuse(key, fmt::format("'{}' is not a number from 0 to {}", text, most));
  return value;
}

void set(Imposed& imposed, std::string_view key, std::string_view text) {
  if (key == "mode") {
    imposed.mode = choice(key, text, modes());
  } else if (key == "rate") {
    imposed.rate = number(key, text, 1e4);
  } else if (key == "contexts") {
    imposed.contexts = static_cast<std::uint32_t>(number(key, text, 1e6));
  } else if (key == "miss") {
    imposed.miss_us = number(key, text, 1e6);
  } else if (key == "replacement") {
    imposed.replacement = choice(key, text, replacements());
  } else if (key == "fault") {
    imposed.fault = choice(key, text, faults());
  } else if (key == "after") {
    imposed.fault_after = static_cast<std::uint64_t>(number(key, text, 1e15));
  } else {
    refuse(key, "not one of mode, rate, contexts, miss, replacement, fault, after");
  }
}

}  // namespace

Imposed parse_imposed(const std::string& text) {
  Imposed imposed;
  for (std::string_view rest = text; !rest.empty();) {
    const auto item = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const auto equals = item.find('=');
    if (equals == item.npos) refuse(item, "give key=value");
    set(imposed, item.substr(0, equals), item.substr(equals + 1));
  }
  return imposed;
}

std::string describe(const Imposed& imposed) {
  std::vector<std::string> facts;
  if (imposed.mode == Mode::sink) facts.emplace_back("mode=sink");
  if (imposed.rate > 0) facts.push_back(fmt::format("rate={:g}", imposed.rate));
  if (imposed.contexts > 0)
    facts.push_back(fmt::format("contexts={};miss={:g};replacement={}", imposed.contexts,
                                imposed.miss_us, name_of(imposed.replacement, replacements())));
  if (imposed.fault != Fault::none)
    facts.push_back(
        fmt::format("fault={};after={}", name_of(imposed.fault, faults()), imposed.fault_after));
  return fmt::format("{}", fmt::join(facts, ";"));
}

}  // namespace qpcast::hw::emulated
