#include "scenarios/io/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "model/error.hpp"
#include "model/sweep.hpp"
#include "scenarios/io/json_reader.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::io {

namespace {

using nlohmann::json;

Cost to_cost(const std::string& name, const ObjectReader& o, const std::string& key) {
  if (const auto c = find_cost(name)) return *c;
  o.fail(key, fmt::format("unknown cost '{}'", name));
}

Layout read_defaults(const json& value, const std::string& source) {
  Layout layout;
  if (!value.is_object()) throw InputError{source, "defaults", "expected an object of key: value"};
  for (const auto& [key, item] : value.items())
    layout.parse(key, item.is_string() ? item.get<std::string>() : item.dump(), source);
  layout.check(source);
  return layout;
}

LibraryPreset::Variant read_variant(const json& value, const std::string& source) {
  ObjectReader o{value, source, "variants"};
  const auto when = parse_layout(o.text("when"), source);
  LibraryPreset::Variant v{};
  for (const auto& f : fields())
    if (when.has(f.key)) {
      v.key = f.key;
      v.value = when.number(f.key, 0);
    }
  v.profile = o.text("profile");
  for (const auto& cost : o.member("costs"))
    v.costs.push_back(
        to_cost(cost.is_string() ? cost.get<std::string>() : cost.dump(), o, "costs"));
  o.finish();
  return v;
}

/// Values of one key, as `sweep` writes them: "1..64", "1..256*2", "baseline,tuned".
std::vector<double> read_values(Key key, const std::string& expression, const std::string& source) {
  const std::string name{field(key).name};
  std::vector<double> values;
  for (const auto& text : expand_values(name, expression, source)) {
    Layout one;
    one.parse(name, text, source);
    values.push_back(one.number(key, 0));
  }
  return values;
}

LibraryPreset::Setting read_setting(const std::string& name, const json& value,
                                    const std::string& source) {
  ObjectReader o{value, source, "settings." + name};
  LibraryPreset::Setting s{};
  s.name = name;
  const auto key = o.text("key");
  const auto known = find_key(key);
  if (!known) o.fail("key", fmt::format("unknown key; did you mean '{}'?", nearest_key(key)));
  s.key = *known;
  s.meaning = o.text("meaning", "");
  if (o.has("values"))
    for (const auto& [spelling, means] : o.member("values").items())
      s.values[spelling] = means.get<std::string>();
  s.how = o.text("how", "environment");
  if (s.how != "environment" && s.how != "argument" && s.how != "build")
    o.fail("how", fmt::format("'{}' is not one of environment, argument, build", s.how));
  const auto per = o.text("per", "");
  if (!per.empty() && per != "peer") o.fail("per", fmt::format("'{}' is not 'peer'", per));
  s.per_peer = !per.empty();
  if (o.has("try")) s.proposals = read_values(s.key, o.text("try"), source);
  if (o.has("default")) s.fallback = read_values(s.key, o.text("default"), source).front();
  o.finish();
  return s;
}

/// What `advise` may turn must have a value to start from.
void check_settings(const LibraryPreset& p, const ObjectReader& o) {
  std::set<Key> tried;
  for (const auto& s : p.settings) {
    if (s.proposals.empty()) continue;
    const auto member = fmt::format("settings.{}.try", s.name);
    if (!s.fallback && !p.defaults.has(s.key))
      o.fail(member, fmt::format("needs a 'default': 'defaults' has no {}", field(s.key).name));
    if (!tried.insert(s.key).second)
      o.fail(member, fmt::format("another setting of {} has one", field(s.key).name));
  }
}

}  // namespace

LibraryPreset preset_from_json(const std::string& text, const std::string& source) {
  const auto value = parse_json(text, source);
  ObjectReader o{value, source};
  o.require_schema("qpcast.library/1");
  LibraryPreset p;
  p.name = o.text("name");
  p.description = o.text("description");
  o.text("source", "");
  p.runs_on = o.text("runs_on", "");
  p.defaults = read_defaults(o.member("defaults"), source);
  p.profile = o.text("profile");
  if (o.has("costs"))
    for (const auto& [cost, profile] : o.member("costs").items()) {
      if (!profile.is_string()) o.fail("costs." + cost, "expected a profile name or \"none\"");
      p.profile_of[to_cost(cost, o, "costs")] = profile.get<std::string>();
    }
  if (o.has("variants"))
    for (const auto& v : o.member("variants")) p.variants.push_back(read_variant(v, source));
  if (o.has("settings"))
    for (const auto& [name, setting] : o.member("settings").items())
      p.settings.push_back(read_setting(name, setting, source));
  check_settings(p, o);
  p.benchmark = o.flag("benchmark", false);
  o.finish();
  return p;
}

Presets read_presets(const std::filesystem::path& directory) {
  Presets presets;
  for (const auto& entry : std::filesystem::directory_iterator{directory}) {
    if (entry.path().extension() != ".json") continue;
    auto p = preset_from_json(read_text(entry.path()), entry.path().string());
    const auto name = p.name;
    if (!presets.emplace(name, std::move(p)).second)
      throw InputError{entry.path().string(), "name",
                       fmt::format("preset '{}' is in two files", name)};
  }
  if (presets.empty()) throw InputError{directory.string(), "", "no library presets"};
  return presets;
}

std::filesystem::path data_path(const std::filesystem::path& relative) {
  std::vector<std::filesystem::path> roots;
  if (const char* set = std::getenv("QPCAST_DATA")) {
    roots.emplace_back(set);
  } else {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) roots.push_back(self.parent_path().parent_path() / "share" / "qpcast");
    roots.emplace_back(QPCAST_SOURCE_TREE);
  }
  for (const auto& root : roots)
    if (std::filesystem::exists(root / relative)) return root / relative;
  throw InputError{relative.string(), "",
                   fmt::format("not found under {}; set QPCAST_DATA", roots.back().string())};
}

}  // namespace qpcast::io
