/// Workload and fabric files: what is shipped reads, what is wrong is one line with file and key.
#include <catch2/catch.hpp>
#include <filesystem>

#include "model/error.hpp"
#include "scenarios/io/text_file.hpp"
#include "scenarios/io/workloads.hpp"

using namespace qpcast;

namespace {

struct Case {
  std::string member, expected;
};

std::string workload(const std::string& members) {
  return R"({"schema": "qpcast.workload/1", "name": "w", )" + members + "}";
}
std::string fabric(const std::string& members) {
  return R"({"schema": "qpcast.fabric/1", "name": "f", )" + members + "}";
}

}  // namespace

TEST_CASE("every shipped workload and fabric reads, and is called what its file is called") {
  for (const char* folder : {"workloads", "fabrics"})
    for (const auto& entry :
         std::filesystem::directory_iterator{std::filesystem::path{"scenarios"} / folder}) {
      const auto name = entry.path().stem().string();
      INFO(entry.path());
      const bool fabrics = std::string{folder} == "fabrics";
      CHECK((fabrics ? io::read_fabric(name).name : io::read_workload(name).name) == name);
    }
}

TEST_CASE("a workload's members reach the plan") {
  const auto w = io::workload_from_json(
      workload(R"("pattern": "moe-combine", "ranks": 4, "tokens": 3, "hidden": 256, "experts": 8,
                  "topk": 2, "qps_per_peer": 2, "scale_block": 128, "header_bytes": 16,
                  "dtype": {"dispatch": "fp8", "combine": "fp32"}, "order": "same",
                  "routing": {"law": "zipf", "exponent": 0.5}, "doorbell_every": 4,
                  "layout": {"threads": 64})"),
      "w.json");
  CHECK(token_message(w).count() == 16 + 256 * 4);
  CHECK(w.routing == Routing::zipf);
  CHECK(w.zipf == 0.5);
  CHECK(w.defaults.number(Key::threads, 0) == 64);
  CHECK_FALSE(w.rotated);
  auto dispatch = w;
  dispatch.pattern = Pattern::moe_dispatch;
  CHECK(token_message(dispatch).count() == 16 + 256 + 2 * 4);
}

TEST_CASE("a bad workload or fabric file names file and key", "[input]") {
  const std::vector<Case> workloads{
      {R"("pattern": "ring")", "w.json: pattern: 'ring' is unknown; one of all-to-all, incast"},
      {R"("pattern": "incast", "rank": 8)", "rank: unknown member; did you mean 'ranks'?"},
      {R"("pattern": "incast", "ranks": 0)", "ranks: 0: expected a whole number from 2"},
      {R"("pattern": "incast", "qps_per_peer": 0)", "qps_per_peer: 0: expected a whole number"},
      {R"("pattern": "incast", "receivers": 8)", "receivers: 8: an incast needs 1..7"},
      {R"("pattern": "incast", "ranks": 9, "gpus_per_node": 4)", "ranks: 9 does not fill nodes"},
      {R"("pattern": "incast", "tokens": 8)", "tokens: unknown member"},
      {R"("pattern": "moe-dispatch", "experts": 9)", "experts: 9 experts do not spread"},
      {R"("pattern": "moe-dispatch", "routing": {"law": "pareto"})",
       "routing.law: 'pareto' is unknown; one of uniform, zipf"},
      {R"("pattern": "moe-dispatch", "routing": {"exponent": 9})",
       "routing.exponent: 9: expected a number from 0 to 3"},
      {R"("pattern": "moe-dispatch", "dtype": {"dispatch": "int4"})", "dtype.dispatch: 'int4'"},
      {R"("pattern": "incast", "layout": {"qsp": 1})", "qsp: unknown key; did you mean 'qps'?"},
  };
  for (const auto& c : workloads) {
    INFO(c.member);
    CHECK_THROWS_WITH(io::workload_from_json(workload(c.member), "w.json"),
                      Catch::Contains(c.expected) && Catch::StartsWith("w.json: "));
  }
  const std::vector<Case> fabrics{
      {R"("topology": "torus")", "topology: 'torus' is unknown; one of single-switch, fat-tree"},
      {R"("topology": "fat-tree", "oversubscription": 0.5)", "oversubscription: 0.5: expected"},
      {R"("topology": "fat-tree", "pes_per_leaf": 0)", "pes_per_leaf: 0: expected"},
      {R"("topology": "single-switch", "pes_per_leaf": 4)", "pes_per_leaf: unknown member"},
      {R"("topology": "single-switch", "link_gbit_per_s": 0)", "link_gbit_per_s: 0: expected"},
  };
  for (const auto& c : fabrics) {
    INFO(c.member);
    CHECK_THROWS_WITH(io::fabric_from_json(fabric(c.member), "f.json"),
                      Catch::Contains(c.expected) && Catch::StartsWith("f.json: "));
  }
  CHECK_THROWS_WITH(io::workload_from_json(R"({"schema": "qpcast.fabric/1"})", "w.json"),
                    Catch::Contains("schema"));
  CHECK_THROWS_AS(io::read_workload("/nowhere.json"), InputError);
}
