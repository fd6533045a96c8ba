/// Exchanges over fabrics: conservation, what links and engines allow, and the two wires.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "model/error.hpp"
#include "model/simgrid/workload_solver.hpp"
#include "model/testing.hpp"
#include "scenarios/io/workloads.hpp"

using namespace qpcast;
using simgrid::Wire;

namespace {

WorkloadSpec pattern(Pattern p, std::uint32_t ranks) {
  WorkloadSpec w;
  w.name = pattern_name(p);
  w.pattern = p;
  w.ranks = ranks;
  w.local_by_nic = true;
  w.experts = 4 * ranks;
  w.qps = w.moe() ? 4 : 1;
  w.topk = 2;
  w.tokens = 32;
  w.hidden = 2048;
  return w;
}

WorkloadReport play(const WorkloadSpec& w, const std::string& layout, const Fabric& fabric = {},
                    Wire wire = Wire::stations, const SimulationOptions& options = {}) {
  return WorkloadSolver{testing::prior_platform(), options}.predict(
      w, fabric, parse_layout(layout, "test"), nullptr, wire);
}

const char* const large = "submitter=gpu;payload=4096;inline=0;batch=16";

Fabric fabric_of(Topology topology, double oversubscription) {
  Fabric f;
  f.topology = topology;
  f.pes_per_leaf = 8;
  f.oversubscription = oversubscription;
  return f;
}

/// Time of so many payload bytes over the priors' link, with headers.
double wire_us(double messages, double payload) {
  const auto platform = testing::prior_platform();
  const ParameterValues values{platform};
  return messages * (payload + platform.facts.header) / (values.get(Param::wire_line_rate) * 1e3);
}

}  // namespace

TEST_CASE("every message that is sent arrives, on every fabric", "[workload]") {
  const auto p =
      GENERATE(Pattern::all_to_all, Pattern::incast, Pattern::moe_dispatch, Pattern::moe_combine);
  const auto topology =
      GENERATE(Topology::single_switch, Topology::fat_tree, Topology::rail_optimised);
  auto w = pattern(p, 16);
  w.gpus_per_node = 4;
  INFO(w.name << " on " << topology_name(topology));
  const auto r = play(w, "submitter=gpu", fabric_of(topology, 2));
  std::uint64_t sent = 0, received = 0;
  for (const auto& rank : r.per_rank) {
    sent += rank.sent;
    received += rank.received;
    CHECK(rank.issue_end <= rank.completed);
  }
  CHECK(sent == received);
  CHECK(r.latency.count == sent);
  if (p == Pattern::all_to_all) CHECK(sent == 16U * 15 * 32);
  if (p == Pattern::incast) CHECK(sent == 15U * 32);
  if (w.moe()) CHECK(sent <= 16U * 32 * 2);
  if (w.moe()) CHECK(sent > 16U * 32 * 2 * 8 / 10);
}

TEST_CASE("the way back of the tokens is their way out, turned round", "[workload]") {
  const auto out = TrafficPlan{pattern(Pattern::moe_dispatch, 8), 3};
  const auto back = TrafficPlan{pattern(Pattern::moe_combine, 8), 3};
  const auto messages = [](const TrafficPlan& plan, std::uint32_t from, std::uint32_t to) {
    std::uint32_t n = 0;
    for (const auto& q : plan.queues(from)) n += q.target == to ? q.messages : 0;
    return n;
  };
  for (std::uint32_t a = 0; a < 8; ++a)
    for (std::uint32_t b = 0; b < 8; ++b)
      if (a != b) CHECK(messages(out, a, b) == messages(back, b, a));
}

TEST_CASE("Zipf routing loads ranks unevenly, uniform routing does not", "[workload]") {
  const auto uneven = [](Routing routing, std::uint32_t topk) {
    auto w = pattern(Pattern::moe_dispatch, 8);
    w.routing = routing;
    w.tokens = 512;
    w.topk = topk;
    std::vector<double> received(8);
    const TrafficPlan plan{w, 1};
    for (std::uint32_t r = 0; r < 8; ++r)
      for (const auto& q : plan.queues(r)) received[q.target] += q.messages;
    const double mean = std::accumulate(received.begin(), received.end(), 0.0) / 8;
    return *std::max_element(received.begin(), received.end()) / mean;
  };
  for (const std::uint32_t topk : {1U, 4U}) {  // drawn again, and by first arrivals
    CHECK(uneven(Routing::uniform, topk) < 1.1);
    CHECK(uneven(Routing::zipf, topk) > 1.2);
  }
}

TEST_CASE("an incast takes the receiver's link as long as all its bytes", "[workload]") {
  auto w = pattern(Pattern::incast, 16);
  w.messages = 256;
  const auto wire = GENERATE(Wire::stations, Wire::flows);
  const auto r = play(w, large, {}, wire);
  const double link = wire_us(15 * 256, 4096);
  CHECK(r.duration > link);
  CHECK(r.duration < 1.1 * link);
  CHECK(r.issue_end.most < 0.2 * r.duration);
}

TEST_CASE("a fabric's own link rate decides what the wire takes", "[workload]") {
  const auto wire = GENERATE(Wire::stations, Wire::flows);
  auto w = pattern(Pattern::incast, 8);
  w.messages = 256;
  Fabric slow, fast;
  slow.link_gbit_per_s = 25;
  fast.link_gbit_per_s = 100;
  const double ratio = play(w, large, slow, wire).duration / play(w, large, fast, wire).duration;
  CHECK(ratio > 3.5);
  CHECK(ratio < 4.1);
}

TEST_CASE("oversubscription costs what it takes away", "[workload]") {
  auto w = pattern(Pattern::all_to_all, 32);
  w.messages = 64;
  const auto at = [&](double oversubscription) {
    return play(w, large, fabric_of(Topology::fat_tree, oversubscription)).duration;
  };
  // 24 of 31 peers are behind the spines, through an eighth of 8, 2 and 1 links.
  CHECK(at(4) > wire_us(24 * 64, 4096) * 4);
  CHECK(at(8) == Approx(2 * at(4)).epsilon(0.15));
  CHECK(at(1) < at(4));
}

TEST_CASE("links as stations and as shared flows give the same times", "[workload]") {
  const auto topology =
      GENERATE(Topology::single_switch, Topology::fat_tree, Topology::rail_optimised);
  auto w = pattern(Pattern::all_to_all, 16);
  w.gpus_per_node = 4;
  const auto f = fabric_of(topology, 2);
  INFO(topology_name(topology));
  const auto a = play(w, large, f, Wire::stations), b = play(w, large, f, Wire::flows);
  CHECK(a.messages == b.messages);
  CHECK(a.issue_end.most == Approx(b.issue_end.most));
  CHECK(a.duration == Approx(b.duration).epsilon(0.15));
}

TEST_CASE("small messages are bound by the engine, not by the wire", "[workload]") {
  auto w = pattern(Pattern::all_to_all, 16);
  w.messages = 2048;
  const auto r = play(w, "submitter=gpu;payload=8;batch=32");
  const auto platform = testing::prior_platform();
  const ParameterValues values{platform};
  const double ceiling =
      values.get(Param::nic_ceiling) / std::max(1.0, values.get(Param::nic_duplex_penalty));
  CHECK(r.nic_rate.most <= 1.001 * ceiling);
  CHECK(r.nic_rate.least > 0.5 * ceiling);
}

TEST_CASE("an exchange depends on its seed and on nothing else", "[workload][seed]") {
  const auto w = pattern(Pattern::moe_dispatch, 16);
  SimulationOptions other;
  other.seed = 2;
  const auto a = play(w, ""), b = play(w, ""), c = play(w, "", {}, Wire::stations, other);
  CHECK(io::to_json(a).dump() == io::to_json(b).dump());
  CHECK(a.duration != c.duration);
}

TEST_CASE("a window makes every stream wait for its completions", "[workload]") {
  auto w = pattern(Pattern::all_to_all, 4);
  w.messages = 512;
  const std::string text = "submitter=gpu;threads=3;payload=8;batch=1";
  const auto free = play(w, text), waits = play(w, text + ";window=1");
  CHECK(waits.messages == free.messages);
  CHECK(waits.duration > 512 * waits.latency.p50 * 0.9);
  CHECK(waits.duration > 1.5 * free.duration);
}

TEST_CASE("what does not fit names the key", "[workload][input]") {
  auto w = pattern(Pattern::all_to_all, 24);
  CHECK_THROWS_WITH(play(w, large, fabric_of(Topology::fat_tree, 3)),
                    Catch::Contains("oversubscription: 3 leaves 2.67 uplinks"));
  w.ranks = 20;
  CHECK_THROWS_WITH(play(w, large, fabric_of(Topology::fat_tree, 2)),
                    Catch::Contains("ranks: 20 does not fill leaves of 8"));
  w.gpus_per_node = 8;
  CHECK_THROWS_WITH(play(w, large), Catch::Contains("ranks: 20 does not fill nodes"));
  auto moe = pattern(Pattern::moe_dispatch, 8);
  CHECK_THROWS_WITH(play(moe, "experts=30"), Catch::Contains("experts: 30 experts do not spread"));
  CHECK_THROWS_WITH(play(pattern(Pattern::incast, 8), "submitter=gpu;batch=32;queue_depth=16"),
                    Catch::Contains("batch: a thread waits for 32 free slots") &&
                        Catch::Contains("queue_depth=16"));
}

TEST_CASE("a workload file's layout cannot say what the workload decides", "[workload][input]") {
  for (const char* text : {"qps=5", "ranks=5", "role=send", "active_qps=5", "writes_per_visit=2"}) {
    auto w = pattern(Pattern::moe_dispatch, 8);
    w.defaults = parse_layout(text, "test");
    INFO(text);
    CHECK_THROWS_WITH(play(w, ""),
                      Catch::Contains("layout.") && Catch::Contains("the workload decides it"));
  }
}

TEST_CASE("what an exchange takes for granted is said", "[workload]") {
  const auto w = pattern(Pattern::all_to_all, 4);
  const auto said = [&](const char* text, const char* what) {
    const auto warnings = play(w, text).warnings;
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const auto& line) { return line.find(what) == 0; });
  };
  CHECK(said("submitter=gpu", "threads: none named"));
  CHECK_FALSE(said("submitter=gpu;threads=4", "threads: none named"));
  CHECK(said("submitter=gpu;threads=64;batch=8;publication=warp-drifting", "publication:"));
}

TEST_CASE("the most popular experts are drawn without end to it", "[workload]") {
  auto w = pattern(Pattern::moe_dispatch, 8);
  w.experts = 4096;
  w.topk = 128;
  w.tokens = 4;
  w.routing = Routing::zipf;
  w.zipf = 6;
  const TrafficPlan plan{w, 1};
  std::uint64_t messages = 0;
  for (std::uint32_t r = 0; r < w.ranks; ++r)
    for (const auto& q : plan.queues(r)) messages += q.messages;
  CHECK(messages > 0);
  CHECK(messages <= std::uint64_t{w.ranks} * w.tokens * w.topk);
}

TEST_CASE("a workload's timeline names ranks and links", "[workload][trace]") {
  SimulationOptions options;
  options.trace = (std::filesystem::temp_directory_path() / "qpcast-workload-trace.json").string();
  play(pattern(Pattern::all_to_all, 4), large, {}, Wire::stations, options);
  std::ifstream in{options.trace};
  const auto j = nlohmann::json::parse(in);
  std::filesystem::remove(options.trace);
  std::set<std::string> tracks;
  for (const auto& e : j.at("traceEvents"))
    if (e.at("name") == "thread_name") tracks.insert(e.at("args").at("name"));
  for (const char* track : {"thread 3", "NIC 3", "pe3 up", "pe3 down"})
    CHECK(tracks.count(track) == 1);
}
