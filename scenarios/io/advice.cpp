#include "scenarios/io/advice.hpp"

#include "scenarios/io/environment.hpp"

namespace qpcast::io {

namespace {

using advise::Advice;
using advise::Candidate;
using nlohmann::ordered_json;

ordered_json to_json(const Estimate& e) { return {{"value", e.value}, {"lo", e.lo}, {"hi", e.hi}}; }

ordered_json simulated_json(const Candidate& c) {
  return {{"value", c.simulated.goal},
          {"latency_us", c.simulated.latency},
          {"rate_mmsg_per_s", c.simulated.rate},
          {"gain", c.simulated_gain}};
}

ordered_json default_json(const Advice& a) {
  ordered_json j{{"layout", a.base.layout.to_string()},
                 {"queue_pairs", a.base.queue_pairs},
                 {"predicted", to_json(a.base.predicted)},
                 {"simulated", a.base.simulated.goal}};
  j["breaks"] = a.base_refused.empty() ? ordered_json{} : ordered_json{a.base_refused};
  return j;
}

ordered_json candidate_json(const Candidate& c, const std::string& library,
                            const Presets& presets) {
  ordered_json j;
  j["layout"] = c.layout.to_string();
  j["settings"] = ordered_json::array();
  for (const auto& s : settings_of(c, library, presets))
    j["settings"].push_back({{"name", s.name},
                             {"how", s.how},
                             {"value", s.value},
                             {"default", s.base},
                             {"meaning", s.meaning}});
  j["queue_pairs"] = c.queue_pairs;
  j["predicted"] = to_json(c.predicted);
  j["gain"] = to_json(c.gain);
  j["worse_than_default_share"] = c.worse_share;
  j["simulated"] = simulated_json(c);
  j["dropped"] = c.dropped.empty() ? ordered_json{} : ordered_json{c.dropped};
  j["warnings"] = c.warnings;
  return j;
}

ordered_json space_json(const Advice& a) {
  ordered_json j{{"layouts", a.space},
                 {"evaluated", a.searched.evaluated},
                 {"boxes_bounded", a.searched.bounded},
                 {"complete", a.searched.complete},
                 {"best", a.best}};
  for (const auto& axis : a.axes)
    j["axes"].push_back({{"name", axis.name},
                         {"key", field(axis.key).name},
                         {"values", axis.values.size()},
                         {"from", axis.spelling(axis.values.front())},
                         {"to", axis.spelling(axis.values.back())},
                         {"default", axis.spelling(axis.base)}});
  return j;
}

const char* name_of(advise::Verdict v) {
  return v == advise::Verdict::change ? "change" : v == advise::Verdict::keep ? "keep" : "none";
}

}  // namespace

std::vector<advise::Change> settings_of(const Candidate& candidate, const std::string& library,
                                        const Presets& presets) {
  auto settings = candidate.changes;
  if (const auto selector = selecting_variable(presets, library))
    settings.insert(settings.begin(),
                    {selector->first, "environment", "selects " + library, selector->second, ""});
  return settings;
}

ordered_json to_json(const std::vector<Advice>& advices,
                     const std::vector<std::pair<std::string, std::string>>& skipped,
                     const Platform& platform, const Presets& presets) {
  ordered_json j;
  j["schema"] = "qpcast.advice/1";
  j["platform"] = platform.name;
  j["emulated"] = platform.emulated;
  j["advice"] = ordered_json::array();
  for (const auto& a : advices) {
    ordered_json one;
    one["library"] = a.library;
    one["verdict"] = name_of(a.verdict);
    one["reason"] = a.reason;
    one["metric"] = metric_name(a.metric);
    one["unit"] = metric_unit(a.metric);
    one["default"] = default_json(a);
    one["candidates"] = ordered_json::array();
    for (const auto& c : a.candidates)
      one["candidates"].push_back(candidate_json(c, a.library, presets));
    one["draws"] = a.draws;
    one["seed"] = a.seed;
    one["space"] = space_json(a);
    j["advice"].push_back(std::move(one));
  }
  j["not_considered"] = ordered_json::array();
  for (const auto& [library, reason] : skipped)
    j["not_considered"].push_back({{"library", library}, {"reason", reason}});
  return j;
}

}  // namespace qpcast::io
