#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "model/error.hpp"
#include "model/testing.hpp"
#include "scenarios/io/advice.hpp"
#include "scenarios/io/environment.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

using namespace qpcast;
using namespace qpcast::io;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A directory that goes away with the test.
class Scratch {
 public:
  Scratch()
      : path_{fs::temp_directory_path() / ("qpcast-" + std::to_string(std::random_device{}()))} {
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream{path_ / name, std::ios::binary} << text;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const std::string header =
    "id,platform,subject,config,baseline,metric,stat,value,lo,hi,unit,section,note\n";

bool same(const Measurement& a, const Measurement& b) {
  return a.id == b.id && a.platform == b.platform && a.library == b.library &&
         a.layout == b.layout && a.baseline == b.baseline && a.metric == b.metric &&
         a.statistic == b.statistic && a.value == b.value && a.lo == b.lo && a.hi == b.hi &&
         a.unit == b.unit && a.note == b.note;
}

}  // namespace

TEST_CASE("published rows round-trip through both forms", "[measurements]") {
  const auto rows = read_measurements("data/published/published.csv");
  CHECK(rows.size() == 126);
  const Scratch scratch;
  const auto again = read_measurements(scratch.write("a.csv", to_csv(rows)));
  std::string lines;
  for (const auto& r : rows) lines += to_json_line(r) + "\n";
  const auto json = read_measurements(scratch.write("a.jsonl", lines));
  REQUIRE(again.size() == rows.size());
  REQUIRE(json.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO(rows[i].id);
    CHECK(same(rows[i], again[i]));
    CHECK(same(rows[i], json[i]));
  }
}

TEST_CASE("a measurement keeps its environment, passes and spread", "[measurements]") {
  Measurement m;
  m.id = "x";
  m.platform = "here";
  m.layout = parse_layout("qps=4", "test");
  m.value = 1.0 / 3;
  m.unit = "Mmsg/s";
  m.passes = 7;
  m.spread = 0.02;
  m.environment = {{"gpu", "a \"GPU\""}, {"driver", "1.2"}};
  m.source = {"emulated", "cpu"};
  const auto back = from_json_line(to_json_line(m), "test", 1);
  CHECK(same(m, back));
  CHECK(back.passes == 7);
  CHECK(back.spread == m.spread);
  CHECK(back.environment == m.environment);
  CHECK(back.source.kind == "emulated");
}

TEST_CASE("bad measurement files name file, line and field", "[input]") {
  struct Case {
    const char* name;
    std::string text;
    const char* expected;
  };
  const std::string good = "a,P,mini-gda,qps=1,,rate,value,1,,,Mmsg/s,s,n\n";
  const auto c = GENERATE_COPY(
      Case{"m.csv", header, "no rows"}, Case{"m.csv", "", "empty"},
      Case{"m.csv", "id,platform\na,b\n", "subject: missing column"},
      Case{"m.csv", header + good + good, ":3: id: 'a' is in the file twice"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,value,1,,,us,s,n\n", ":2: unit: 'us' but rate"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,value,nan,,,Mmsg/s,s,n\n", "value: 'nan'"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,value,1e,,,Mmsg/s,s,n\n", "value: '1e'"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,value,-1,,,Mmsg/s,s,n\n", "above 0"},
      Case{"m.csv", header + "a,P,x,qps=1,,rates,value,1,,,Mmsg/s,s,n\n", "did you mean 'rate'"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,mean,1,,,Mmsg/s,s,n\n", "value, ratio, delta"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,ratio,1,,,x,s,n\n", "needs one"},
      Case{"m.csv", header + "a,P,x,qsp=1,,rate,value,1,,,Mmsg/s,s,n\n", "did you mean 'qps'"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,value,1\n", "truncated"},
      Case{"m.csv", header + "a,\"P,x\n", "never closed"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,value,1,,,Mmsg/s,s,\xff\xfe\n", ":2: not UTF-8"},
      Case{"m.jsonl", "{\"schema\":\"qpcast.measurement/1\",\"id\":", "truncated"},
      Case{"m.jsonl", "{\"schema\":\"qpcast.measurement/2\"}", "is not \"qpcast.measurement/1\""},
      Case{"m.jsonl", "[1]", "expected a JSON object"},
      Case{"m.jsonl", "{\"id\":1,\"id\":2}", ":1: id: given twice"},
      Case{"m.csv", header + "a,../P,x,qps=1,,rate,value,1,,,Mmsg/s,s,n\n", ":2: platform: a name"},
      Case{"m.csv", header + "a,,x,qps=1,,rate,value,1,,,Mmsg/s,s,n\n", ":2: platform: empty"},
      Case{"m.csv", header + "a,P,x,qps=1,,rate,value,1e-320,,,Mmsg/s,s,n\n", "check the unit"},
      Case{"m.txt", "x", ".csv or .jsonl"});
  INFO(c.text);
  const Scratch scratch;
  const auto path = scratch.write(c.name, c.text);
  CHECK_THROWS_WITH(read_measurements(path), Contains(path.string()) && Contains(c.expected));
}

TEST_CASE("platforms round-trip", "[platform]") {
  Platform p;
  p.name = "test";
  p.facts.nic = "some NIC";
  p.facts.reference = true;
  p.calibrated_from = "rows";
  p.parameters = {
      {"nic.ceiling", "Mmsg/s", 200, 150, 250, Provenance::fitted, {"a", "b"}, ""},
      {"library.mini-gda.publish", "us", 0.5, 0.4, 0.6, Provenance::assumed, {}, "why"}};
  p.covariance = {0.04, 0.01, 0.01, 0.09};
  const auto text = to_json(p);
  const auto back = platform_from_json(text, "test");
  CHECK(to_json(back) == text);
  CHECK(back.covariance == p.covariance);
  CHECK(back.parameters[0].rows == p.parameters[0].rows);
  CHECK(back.parameters[1].note == "why");
}

TEST_CASE("bad platform files name the member", "[input]") {
  Platform p;
  p.name = "test";
  p.parameters = {{"nic.ceiling", "Mmsg/s", 200, 150, 250, Provenance::fitted, {}, ""}};
  p.covariance = {0.04};
  const auto text = to_json(p);
  const auto edited = [&](const std::string& from, const std::string& to) {
    auto t = text;
    t.replace(t.find(from), from.size(), to);
    return t;
  };
  const auto fails = [](const std::string& t, const char* expected) {
    INFO(t);
    CHECK_THROWS_WITH(platform_from_json(t, "p.json"), Contains("p.json") && Contains(expected));
  };
  fails(edited("nic.ceiling", "nic.cieling"), "unknown parameter 'nic.cieling'");
  fails(edited("Mmsg/s", "us"), "is in 'Mmsg/s'");
  fails(edited("\"value\": 200.0", "\"value\": -1"), "above 0");
  fails(edited("\"value\": 200.0", "\"value\": \"x\""), "expected a number");
  fails(edited("\"discrepancy\"", "\"discrepency\""), "did you mean");
  fails(edited("[0.04]", "[0.04, 1]"), "log_covariance");
  fails(text.substr(0, text.size() / 2), "truncated");
}

TEST_CASE("every preset of the table is there and is read", "[presets]") {
  const auto presets = read_presets("scenarios/libraries");
  for (const char* name : {"nvshmem-ibgda", "nvshmem-ibgda-internal", "nvshmem-ibgda-public",
                           "deepep-v1", "gin-gdaki", "mini-gda", "nvshmem-ibrc", "gin-proxy",
                           "uccl-ep", "mscclpp", "fabric-lib", "mini-proxy"}) {
    INFO(name);
    REQUIRE(presets.contains(name));
    CHECK_FALSE(presets.at(name).description.empty());
  }
  CHECK_THROWS_WITH(find_preset(presets, "nvshem", "here"), Contains("known: deepep-v1"));
}

TEST_CASE("environment files set keys, select libraries and name contradictions", "[environment]") {
  const auto presets = read_presets("scenarios/libraries");
  const Scratch scratch;
  const auto read = [&](const std::string& text, const std::string& library = "") {
    return read_environment(scratch.write("env", text), presets, library);
  };
  const auto nvshmem = read(
      "# comment\nexport NVSHMEM_IBGDA_NUM_RC_PER_PE=\"8\"\n"
      "NVSHMEM_IB_ENABLE_IBGDA=1\nNVSHMEM_IBGDA_NIC_HANDLER=cpu # why\n"
      "NVSHMEM_DEBUG=INFO\nPATH=/bin\n");
  CHECK(nvshmem.layout.library == "nvshmem-ibgda");
  CHECK(nvshmem.layout.number(Key::qps, 0) == 8);
  CHECK(nvshmem.layout.choice(Key::submitter, Submitter::gpu) == Submitter::cpu_assisted);
  CHECK(nvshmem.ignored == std::vector<std::string>{"NVSHMEM_DEBUG"});
  CHECK(read("NVSHMEM_DISABLE_IBGDA=1\n").layout.library == "nvshmem-ibrc");
  CHECK(read("NVSHMEM_IB_ENABLE_IBGDA=Yes\n").layout.library == "nvshmem-ibgda");
  CHECK(read("NCCL_GIN_TYPE=3\nginContextCount=4\n").layout.number(Key::contexts, 0) == 4);
  CHECK(read("num_qps_per_rank=12\n").layout.library == "deepep-v1");
  const auto fails = [&](const std::string& text, const char* expected, const char* library = "") {
    INFO(text);
    CHECK_THROWS_WITH(read(text, library), Contains(expected));
  };
  fails("NVSHMEM_DISABLE_IBGDA=1\nNVSHMEM_IB_ENABLE_IBGDA=1\n",
        ":2: NVSHMEM_IB_ENABLE_IBGDA: selects");
  fails("NCCL_GIN_TYPE=9\n", "not one of");
  fails("NVSHMEM_IBGDA_NUM_RC_PER_PE=lots\n", "whole number");
  fails("NVSHMEM_IBGDA_NUM_DCI=1\nNVSHMEM_IBGDA_NUM_DCI=2\n", "set twice");
  fails("what is this\n", "NAME=VALUE");
  fails("NCCL_GIN_TYPE=2\n", "--library", "mini-gda");
}

TEST_CASE("what advise prints, predict --env reads back", "[environment][advice]") {
  const auto presets = read_presets("scenarios/libraries");
  const Scratch scratch;
  int checked = 0;
  for (const auto& [name, preset] : presets)
    for (const auto& s : preset.settings) {
      if (s.proposals.empty() || s.name.find(' ') != std::string::npos) continue;
      for (const double value : {s.proposals.front(), s.proposals.back()}) {
        advise::Axis axis{s.key, s.name, s.how, s.meaning, &s, s.proposals, 0, s.per_peer};
        std::string text = s.name + "=" + axis.spelling(value) + "\n";
        if (const auto by = selecting_variable(presets, name))
          text += by->first + "=" + by->second + "\n";
        INFO(name << ": " << text);
        const auto read = read_environment(scratch.write("env", text), presets, name);
        CHECK(read.layout.library == name);
        CHECK(read.layout.number(s.key, -1) == value);
        ++checked;
      }
    }
  CHECK(checked > 20);
  CHECK(selecting_variable(presets, "nvshmem-ibgda-public")->first == "NVSHMEM_IB_ENABLE_IBGDA");
  CHECK(selecting_variable(presets, "gin-proxy") ==
        std::pair<std::string, std::string>{"NCCL_GIN_TYPE", "2"});
  CHECK(!selecting_variable(presets, "mscclpp"));
}

TEST_CASE("bad settings of a preset name the member", "[presets][input]") {
  const auto preset = [](const std::string& setting) {
    return preset_from_json(
        R"({"schema":"qpcast.library/1","name":"x","description":"","defaults":{"workers":1},)"
        R"("profile":"x","settings":{"N":{"key":"qps",)" +
            setting + "}}}",
        "x.json");
  };
  const auto good = preset(R"("try":"1..8","default":"2","per":"peer","how":"argument")");
  CHECK(good.settings.front().proposals.size() == 8);
  CHECK(good.settings.front().per_peer);
  CHECK_THROWS_WITH(preset(R"("try":"1..8")"), Contains("settings.N.try") && Contains("default"));
  CHECK_THROWS_WITH(preset(R"("try":"8..1","default":"2")"), Contains("empty range"));
  CHECK_THROWS_WITH(preset(R"("try":"0,1","default":"2")"), Contains("qps"));
  CHECK_THROWS_WITH(preset(R"("how":"magic")"), Contains("not one of environment"));
  CHECK_THROWS_WITH(preset(R"("per":"node")"), Contains("'peer'"));
}

TEST_CASE("an interrupted write leaves the old file whole", "[atomic]") {
  const Scratch scratch;
  const auto path = scratch.write("out.json", "old");
  write_atomically(path, "new");
  CHECK(read_text(path) == "new");
  // A target that cannot be replaced: the write fails, nothing is left beside it.
  const auto blocked = scratch.path() / "directory";
  fs::create_directories(blocked / "inside");
  CHECK_THROWS_AS(write_atomically(blocked, "text"), InputError);
  CHECK(fs::is_directory(blocked));
  CHECK(std::distance(fs::directory_iterator{scratch.path()}, fs::directory_iterator{}) == 2);
}
