#include "scenarios/io/workloads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "model/error.hpp"
#include "scenarios/io/json_reader.hpp"
#include "scenarios/io/predictions.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::io {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A whole number in a range, or the default when absent.
std::uint32_t whole(ObjectReader& o, const std::string& key, std::uint32_t fallback,
                    double lowest = 1, double highest = 1 << 20) {
  const double v = o.number(key, fallback);
  if (v != std::floor(v) || v < lowest || v > highest)
    o.fail(key, fmt::format("{}: expected a whole number from {} to {}", v, lowest, highest));
  return static_cast<std::uint32_t>(v);
}

double within(ObjectReader& o, const std::string& key, double fallback, double lowest,
              double highest) {
  const double v = o.number(key, fallback);
  if (!(v >= lowest && v <= highest))
    o.fail(key, fmt::format("{}: expected a number from {} to {}", v, lowest, highest));
  return v;
}

template <class E>
E one_of(ObjectReader& o, const std::string& key, const std::vector<std::string>& names,
         E fallback) {
  const auto name = o.text(key, names.at(static_cast<std::size_t>(fallback)));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<E>(i);
  o.fail(key, fmt::format("'{}' is unknown; one of {}", name, fmt::join(names, ", ")));
}

Layout read_layout(const json& value, const std::string& source) {
  Layout layout;
  if (!value.is_object()) throw InputError{source, "layout", "expected an object of key: value"};
  for (const auto& [key, item] : value.items())
    layout.parse(key, item.is_string() ? item.get<std::string>() : item.dump(), source);
  layout.check(source);
  return layout;
}

void read_routing(ObjectReader& o, WorkloadSpec& w) {
  ObjectReader r{o.member("routing"), o.source(), "routing"};
  w.routing = one_of(r, "law", {"uniform", "zipf"}, Routing::uniform);
  constexpr double steepest = 3;
  w.zipf = within(r, "exponent", w.zipf, 0, steepest);
  r.finish();
}

void read_dtypes(ObjectReader& o, WorkloadSpec& w) {
  ObjectReader d{o.member("dtype"), o.source(), "dtype"};
  const std::vector<std::string> types{"fp8", "bf16", "fp16", "fp32"};
  w.dispatch = one_of(d, "dispatch", types, w.dispatch);
  w.combine = one_of(d, "combine", types, w.combine);
  d.finish();
}

void read_moe(ObjectReader& o, WorkloadSpec& w) {
  w.tokens = whole(o, "tokens", w.tokens);
  w.hidden = whole(o, "hidden", w.hidden);
  w.experts = whole(o, "experts", w.experts);
  w.topk = whole(o, "topk", w.topk);
  w.header = whole(o, "header_bytes", w.header, 0);
  w.scale_block = whole(o, "scale_block", w.scale_block, 0);
  w.mapping = one_of(o, "queue_mapping", {"per-peer", "per-expert"}, w.mapping);
  if (o.has("dtype")) read_dtypes(o, w);
  if (o.has("routing")) read_routing(o, w);
}

/// A file by path, or by name in a folder of scenarios.
std::string find_file(const std::string& name, const char* folder, const char* option) {
  if (name.ends_with(".json")) return name;
  const auto directory = data_path(std::filesystem::path{"scenarios"} / folder);
  const auto path = directory / (name + ".json");
  if (std::filesystem::exists(path)) return path.string();
  std::vector<std::string> known;
  for (const auto& entry : std::filesystem::directory_iterator{directory})
    if (entry.path().extension() == ".json") known.push_back(entry.path().stem().string());
  std::sort(known.begin(), known.end());
  throw InputError{
      "command line", option,
      fmt::format("unknown '{}'; known: {}, or a .json file", name, fmt::join(known, ", "))};
}

ordered_json spread_json(const Spread& s) {
  return {{"min", s.least}, {"p50", s.p50}, {"mean", s.mean}, {"p99", s.p99}, {"max", s.most}};
}

ordered_json rank_json(const RankReport& r) {
  return {{"rank", r.rank},
          {"queue_pairs", r.queue_pairs},
          {"sent", r.sent},
          {"received", r.received},
          {"issue_end", r.issue_end},
          {"completed", r.completed},
          {"last_arrival", r.last_arrival},
          {"nic_rate", r.nic_rate}};
}

}  // namespace

WorkloadSpec workload_from_json(const std::string& text, const std::string& source) {
  const auto value = parse_json(text, source);
  ObjectReader o{value, source};
  o.require_schema("qpcast.workload/1");
  WorkloadSpec w;
  w.name = o.text("name");
  w.description = o.text("description", "");
  w.source = o.text("source", "");
  const auto pattern = o.text("pattern");
  const auto known = find_pattern(pattern);
  if (!known)
    o.fail("pattern", fmt::format("'{}' is unknown; one of {}", pattern, pattern_names()));
  w.pattern = *known;
  w.ranks = whole(o, "ranks", w.ranks, 2, 65536);
  w.gpus_per_node = whole(o, "gpus_per_node", w.gpus_per_node);
  w.local_by_nic = o.flag("local_by_nic", w.local_by_nic);
  w.qps = whole(o, "qps_per_peer", w.qps, 1, 4096);
  w.doorbell_every = whole(o, "doorbell_every", w.doorbell_every, 0, 256);
  w.rotated = one_of(o, "order", {"same", "rotated"}, w.rotated);
  if (w.moe())
    read_moe(o, w);
  else
    w.messages = whole(o, "messages", w.messages);
  if (w.pattern == Pattern::incast) w.receivers = whole(o, "receivers", w.receivers);
  if (o.has("layout")) w.defaults = read_layout(o.member("layout"), source);
  o.finish();
  check(w, source);
  return w;
}

Fabric fabric_from_json(const std::string& text, const std::string& source) {
  const auto value = parse_json(text, source);
  ObjectReader o{value, source};
  o.require_schema("qpcast.fabric/1");
  Fabric f;
  f.name = o.text("name");
  f.description = o.text("description", "");
  f.source = o.text("source", "");
  const auto topology = o.text("topology");
  const auto known = find_topology(topology);
  if (!known)
    o.fail("topology", fmt::format("'{}' is unknown; one of {}", topology, topology_names()));
  f.topology = *known;
  if (f.topology == Topology::fat_tree)
    f.pes_per_leaf = whole(o, "pes_per_leaf", f.pes_per_leaf, 1, 4096);
  if (f.topology != Topology::single_switch)
    f.oversubscription = within(o, "oversubscription", f.oversubscription, 1, 1024);
  if (o.has("link_gbit_per_s")) f.link_gbit_per_s = within(o, "link_gbit_per_s", 0, 0.1, 1e5);
  f.hop = Duration::us(within(o, "hop_us", f.hop.us(), 0, 1000));
  f.buffer = Bytes{within(o, "buffer_bytes", f.buffer.count(), 0, 1e9)};
  f.quantum = Bytes{within(o, "quantum_bytes", f.quantum.count(), 1, 1e9)};
  o.finish();
  return f;
}

WorkloadSpec read_workload(const std::string& name) {
  const auto path = find_file(name, "workloads", "--workload");
  return workload_from_json(read_text(path), path);
}

Fabric read_fabric(const std::string& name) {
  const auto path = find_file(name, "fabrics", "--fabric");
  return fabric_from_json(read_text(path), path);
}

ordered_json to_json(const WorkloadReport& r) {
  ordered_json j{{"schema", "qpcast.exchange/1"},
                 {"platform", r.platform},
                 {"workload", r.workload},
                 {"pattern", r.pattern},
                 {"fabric", r.fabric},
                 {"layout", r.layout.to_string()},
                 {"solver", "simgrid"},
                 {"seed", r.seed},
                 {"ranks", r.ranks},
                 {"messages", r.messages},
                 {"payload_bytes", r.payload.count()},
                 {"doorbells", r.doorbells},
                 {"context_misses", r.cache_misses},
                 {"duration_us", r.duration},
                 {"slowest_rank", r.slowest}};
  j["issue_end_us"] = spread_json(r.issue_end);
  j["completed_us"] = spread_json(r.completed);
  j["last_arrival_us"] = spread_json(r.last_arrival);
  j["nic_rate_mmsg_per_s"] = spread_json(r.nic_rate);
  j["latency_us"] = to_json(r.latency);
  auto& busy = j["utilisation"] = ordered_json::object();
  for (const auto& s : r.busiest) busy[s.name] = s.utilisation;
  auto& ranks = j["per_rank"] = ordered_json::array();
  for (const auto& rank : r.per_rank) ranks.push_back(rank_json(rank));
  j["warnings"] = r.warnings;
  return j;
}

}  // namespace qpcast::io
