#include "scenarios/io/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "model/error.hpp"
#include "scenarios/io/json_reader.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::io {

namespace {

struct Variable {
  std::string name, value;
  std::size_t line = 0;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The value without its quotes, or without a comment behind it.
std::string unquoted(const std::string& value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'')) {
    const auto end = value.find(value.front(), 1);
    if (end != std::string::npos) return value.substr(1, end - 1);
  }
  return trimmed(value.substr(0, value.find(" #")));
}

std::optional<Variable> parse_line(std::string text, const std::string& source, std::size_t line) {
  text = trimmed(text);
  if (text.empty() || text.front() == '#') return std::nullopt;
  if (text.starts_with("export ")) text = trimmed(text.substr(7));
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError{source, line, text, "expected NAME=VALUE"};
  return Variable{trimmed(text.substr(0, equals)), unquoted(trimmed(text.substr(equals + 1))),
                  line};
}

std::vector<Variable> parse_file(const std::filesystem::path& path) {
  const auto text = read_text(path);
  std::vector<Variable> variables;
  std::map<std::string, std::size_t> seen;
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++line;
    const auto end = std::min(text.find('\n', at), text.size());
    const auto v = parse_line(text.substr(at, end - at), path.string(), line);
    at = end + 1;
    if (!v) continue;
    if (const auto [it, fresh] = seen.emplace(v->name, line); !fresh)
      throw InputError{path.string(), line, v->name,
                       fmt::format("set twice, first in line {}", it->second)};
    variables.push_back(*v);
  }
  return variables;
}

/// Variables that choose the library, from scenarios/environment.json.
struct Selectors {
  std::map<std::string, std::map<std::string, std::string>> by_variable;
  std::vector<std::string> prefixes;
};

Selectors read_selectors() {
  const auto path = data_path("scenarios/environment.json");
  const auto value = parse_json(read_text(path), path.string());
  ObjectReader o{value, path.string()};
  o.require_schema("qpcast.environment/1");
  Selectors s;
  s.by_variable = o.member("selectors").get<decltype(s.by_variable)>();
  s.prefixes = o.member("prefixes").get<std::vector<std::string>>();
  o.finish();
  return s;
}

const std::string& lookup(const std::map<std::string, std::string>& values, const Variable& v,
                          const std::string& source) {
  std::string spelling = v.value;  // these libraries read words in either case
  std::transform(spelling.begin(), spelling.end(), spelling.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto it = values.find(spelling);
  if (it != values.end()) return it->second;
  std::string known;
  for (const auto& [word, means] : values) known += (known.empty() ? "" : ", ") + word;
  throw InputError{source, v.line, v.name, fmt::format("'{}' is not one of {}", v.value, known)};
}

/// Whether a preset is the chosen library, one API level of it, or runs on it.
bool belongs_to(const Presets& presets, const std::string& name, const std::string& chosen) {
  const auto it = presets.find(name);
  return name.starts_with(chosen) || (it != presets.end() && it->second.runs_on == chosen);
}

std::string select_library(const Presets& presets, const std::vector<Variable>& variables,
                           const Selectors& selectors, const std::string& given,
                           const std::string& source) {
  std::string library = given, by = given.empty() ? "" : "--library";
  for (const auto& v : variables) {
    const auto it = selectors.by_variable.find(v.name);
    if (it == selectors.by_variable.end()) continue;
    const auto& chosen = lookup(it->second, v, source);
    if (chosen.empty()) continue;
    if (!library.empty() && !belongs_to(presets, library, chosen))
      throw InputError{source, v.line, v.name,
                       fmt::format("selects {}, but {} selects {}", chosen, by, library)};
    if (library.empty()) {
      library = chosen;
      by = v.name;
    }
  }
  return library;
}

/// The presets whose settings the variable may belong to: the selected one, else every library.
std::vector<const LibraryPreset*> candidates(const Presets& presets, const std::string& library) {
  std::vector<const LibraryPreset*> list;
  for (const auto& [name, preset] : presets)
    if (library.empty() ? !preset.benchmark : name == library) list.push_back(&preset);
  return list;
}

bool apply_setting(const Variable& v, const std::vector<const LibraryPreset*>& presets,
                   Layout& layout, const std::string& source) {
  for (const auto* preset : presets)
    for (const auto& s : preset->settings) {
      if (s.name != v.name) continue;
      const auto& value = s.values.empty() ? v.value : lookup(s.values, v, source);
      const Key key = s.key;
      const auto before = layout.text(key);
      layout.parse(field(s.key).name, value, fmt::format("{}:{}: {}", source, v.line, v.name));
      if (!before.empty() && before != layout.text(key))
        throw InputError{source, v.line, v.name,
                         fmt::format("sets {} to {}, but a line above to {}", field(key).name,
                                     layout.text(key), before)};
      if (layout.library.empty()) layout.library = preset->name;
      return true;
    }
  return false;
}

}  // namespace

EnvironmentSettings read_environment(const std::filesystem::path& path, const Presets& presets,
                                     const std::string& library) {
  const auto source = path.string();
  const auto variables = parse_file(path);
  const auto selectors = read_selectors();
  EnvironmentSettings settings;
  settings.layout.library = select_library(presets, variables, selectors, library, source);
  for (const auto& v : variables) {
    if (selectors.by_variable.contains(v.name)) continue;
    if (apply_setting(v, candidates(presets, settings.layout.library), settings.layout, source))
      continue;
    for (const auto& prefix : selectors.prefixes)
      if (v.name.starts_with(prefix)) settings.ignored.push_back(v.name);
  }
  return settings;
}

std::optional<std::pair<std::string, std::string>> selecting_variable(const Presets& presets,
                                                                      const std::string& library) {
  // The longest name that matches: nvshmem-ibgda-public is selected as nvshmem-ibgda.
  std::optional<std::pair<std::string, std::string>> best;
  std::size_t longest = 0;
  for (const auto& [variable, choices] : read_selectors().by_variable)
    for (const auto& [spelling, chosen] : choices)
      if (chosen.size() > longest && belongs_to(presets, library, chosen)) {
        best = {variable, spelling};
        longest = chosen.size();
      }
  return best;
}

}  // namespace qpcast::io
