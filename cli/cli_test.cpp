/// The executable as a user meets it: golden output, exit statuses, one line for bad input.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/executable.hpp"

namespace fs = std::filesystem;
using namespace qpcast::cli_test;

TEST_CASE("golden output", "[golden]") {
  // Regenerate with cli/golden/regenerate after a change that means to change output.
  std::ifstream list{"cli/golden/commands"};
  REQUIRE(list);
  for (std::string name, command; list >> name && std::getline(list >> std::ws, command);) {
    INFO(name << ": " << command);
    const auto outcome = run(command);
    CHECK(outcome.out == qpcast::io::read_text("cli/golden/" + name + ".txt"));
    CHECK(outcome.err.empty());
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("bad input: exit 2, one line, what and where", "[input]") {
  const auto file = [](const char* name, const std::string& text) {
    std::ofstream{scratch / name, std::ios::binary} << text;
    return (scratch / name).string();
  };
  const std::string predict = "predict --platform P-IB ";
  const std::string simulate = predict + "--solver simgrid ";
  const std::string header =
      "id,platform,subject,config,baseline,metric,stat,value,lo,hi,unit,section,note\n";
  struct Case {
    std::string arguments;
    std::string expected;
  };
  const std::vector<Case> cases{
      {predict + "qsp=4", "qsp: unknown key; did you mean 'qps'?"},
      {predict + "qps=0", "qps: 0: expected a whole number from 1"},
      {predict + "qps=-1", "expected a whole number"},
      {predict + "qps=nan", "expected a whole number"},
      {predict + "qps=4 qps=8", "qps: given twice"},
      {predict + "inline=1 payload=4096", "inline=1 contradicts payload=4096"},
      {predict + "workers=2 submitter=gpu", "workers=2 contradicts submitter=gpu"},
      {predict + "qps", "expected key=value"},
      {predict + "--library nvshem", "unknown preset 'nvshem'; known:"},
      {predict + "--env /nowhere", "/nowhere: cannot read"},
      {predict + "--solver oracle", "--solver"},
      {predict + "queue_depth=0", "queue_depth: 0: expected a whole number from 1"},
      {predict + "--solver simgrid batch=32 queue_depth=16", "batch: each of"},
      {predict + "--trace t.json", "--trace: only --solver simgrid has a timeline"},
      {predict + "--solver simgrid --trace /nowhere/t.json", "/nowhere/t.json: --trace: cannot be"},
      {predict + "--solver simgrid --messages 10", "--messages"},
      {predict + "--workload incast", "--workload: only --solver simgrid plays a workload"},
      {predict + "--fabric fat-tree", "--fabric: only a --workload crosses a fabric"},
      {simulate + "--workload incats", "--workload: unknown 'incats'; known: all-to-all, incast"},
      {simulate + "--workload incast --fabric torus", "--fabric: unknown 'torus'; known: fat-tree"},
      {simulate + "--workload incast --csv", "--csv: a workload is reported as text or --json"},
      {simulate + "--workload incast ranks=1", "ranks: 1: an exchange needs at least 2"},
      {simulate + "--workload incast ranks=20 --fabric fat-tree", "ranks: 20 does not fill leaves"},
      {simulate + "--workload moe-dispatch experts=289", "experts: 289 experts do not spread"},
      {simulate + "--workload moe-dispatch topk=300", "topk: 300: a token goes to 1..288"},
      {simulate + "--workload moe-dispatch ranks=4", "gpus_per_node: all ranks share one node"},
      {simulate + "--workload all-to-all ranks=20",
       "ranks: 20 does not fill nodes of gpus_per_node"},
      {simulate + "--workload incast role=send", "incast: role: the workload decides it"},
      {simulate + "--workload incast tokens=8", "tokens: only an MoE workload has it"},
      {simulate + "--workload moe-combine payload=8", "payload: a token's message is 14336 B"},
      {simulate + "--workload incast workload=moe-combine", "workload: moe-combine contradicts"},
      {simulate + "threads=64 qps=2 batch=16 queue_depth=4 publication=warp-drifting",
       "batch: a section announces up to 16"},
      {simulate + "--workload incast batch=32 queue_depth=8", "batch: a thread waits for 32 free"},
      {"predict qps=1", "--platform is required"},
      {"predict --platform P-1B", "unknown platform 'P-1B'; known: P-GB200"},
      {"predict --platform " + file("bad.json", "{\"schema\": \"qpcast.platform/1\", "),
       "truncated"},
      {"predict --platform /nowhere.json", "/nowhere.json: cannot read"},
      {"prdict", "unknown command; did you mean 'predict'?"},
      {"", "subcommand is required"},
      {"sweep --platform P-IB qps=4..1 -o " + (scratch / "o.csv").string(), "qps: empty range"},
      {"sweep --platform P-IB qps=1 -o o.txt", "expected a .csv or .jsonl file"},
      {"sweep --platform P-IB qps=1 -o /nowhere/o.csv", "cannot write"},
      {"validate --data /nowhere.csv", "/nowhere.csv: cannot read"},
      {"validate --data " + file("empty.csv", header), "no rows"},
      {"validate --data " + file("m.csv", "id,platform\na,b\n"),
       "m.csv:1: subject: missing column"},
      {"validate --data " + file("u.csv", header + "a,P-IB,mini-gda,qps=1,,rate,value,1,,,us,s,\n"),
       "u.csv:2: unit: 'us' but rate"},
      {"validate --data " +
           file("n.csv", header + "a,P-IB,mini-gda,qps=1,,rate,value,1,,,Mmsg/s,s,\xff\n"),
       "n.csv:2: not UTF-8"},
      {"validate --data data/published/published.csv --tolerance -1", "--tolerance"},
      {"calibrate data/published/published.csv --row nope -o " + (scratch / "p.json").string(),
       "--row: no row 'nope' in the data"},
      {"calibrate data/published/published.csv --only P-9 -o " + (scratch / "p.json").string(),
       "--only: no row is left"},
      {"calibrate --quick data/published/published.csv -o x.json", "--from"},
      {"calibrate -o x.json", "data: give a file of measurements"},
      {"validate --data data/published/published.csv --layouts 5", "--layouts: only with --live"},
      {"validate --data data/published/published.csv --plan holdout", "--plan: only with --live"},
      {"validate --data data/published/published.csv --nic verbs", "--nic: only with --live"},
      {"validate --data data/published/published.csv --passes 3", "--passes: only with --live"},
      {"validate --data data/published/published.csv -o x.jsonl", "--output: only with --live"},
      {"validate --data data/published/published.csv -F", "-F: only with --live"},
      {"validate --data data/published/published.csv --seed 3",
       "--seed: only with --live or --solver simgrid"},
      {"measure --nic emulated --passes 0 -o x.jsonl", "--passes"},
      {"validate --data " +
           file("p.jsonl", R"({"schema":"qpcast.measurement/1","id":"a","platform":"P",)"
                           R"("layout":"qps=1","metric":"rate","statistic":"value","value":1,)"
                           R"("unit":"Mmsg/s","passes":0,"source":{"kind":"verbs"}})"),
       "p.jsonl:1: passes: 0: a whole number from 1"},
      {"import perftest calibrate/import/fixtures/nccl_alltoall.txt -o " +
           (scratch / "i.jsonl").string(),
       "this is output of nccl-tests; qpcast import nccl-tests reads it"},
      {"validate --live -o x.jsonl", "--platform: required"},
      {"validate --live --platform P-IB", "--output: give the file for the rows"},
      {"validate --live --platform P-IB --plan quick -o x.jsonl", "--plan: 'quick' is not"},
      {"validate", "--data: required (or --live)"},
      {"calibrate data/published/published.csv -o " + (scratch / "p.json").string(),
       "4 platforms came out"},
      {"calibrate data/published/published.csv data/published/published.csv -o x", "is also in"},
      {"import iperf x.txt -o x.jsonl", "format: iperf not in"},
      {"import perftest /nowhere.txt -o " + (scratch / "i.jsonl").string(), "cannot read"},
      {"import perftest calibrate/import/fixtures/write_bw_q4.txt --platform ../evil -o " +
           (scratch / "i.jsonl").string(),
       "--platform: a name that could be a file's"},
      {"import perftest " + file("same.jsonl", "x") + " -o " + (scratch / "same.jsonl").string(),
       "which is to be read"},
      {"report --data data/published/published.csv --tolerance nan -o " +
           (scratch / "r.html").string(),
       "not a number"},
      {"import perftest qps=2 -o " + (scratch / "i.jsonl").string(), "FILE: none"},
      {"import perftest x.txt -o i.csv", "must end in .jsonl"},
      {"import perftest calibrate/import/fixtures/write_bw_cut_off.txt -o " +
           (scratch / "i.jsonl").string(),
       "write_bw_cut_off.txt:38: RDMA_Write BW Test: the run was cut off"},
      {"import perftest calibrate/import/fixtures/write_bw_q4.txt qps=2 -o " +
           (scratch / "i.jsonl").string(),
       "qps: the output says 4"},
      {"import perftest " + file("empty.txt", "") + " -o " + (scratch / "i.jsonl").string(),
       "empty.txt:1: no results"},
      {"report --data data/published/published.csv -o r.txt", "must end in .html"},
      {"report --platform nope --data data/published/published.csv -o r.html",
       "unknown platform 'nope'"},
      {"advise --platform P-IB --goal fast threads=1", "--goal: fast not in"},
      {"advise --platform P-IB --goal rate payload=8", "threads: say who submits"},
      {"advise --platform P-IB --goal rate --library nope threads=1", "unknown preset 'nope'"},
      {"advise --platform P-IB --goal rate --library nvshmem-ibgda threads=64 workers=1..4",
       "workers: nvshmem-ibgda has no such setting"},
      {"advise --platform P-IB --goal rate --library gin-gdaki threads=64 contexts=4..1",
       "contexts: empty range"},
      {"advise --platform P-IB --goal rate --library mscclpp threads=4 --cores 0", "--cores"},
      {"advise --platform P-IB --goal rate --library gin-gdaki --isolate threads=64",
       "--isolate: no bulk traffic"},
      {"advise --platform P-IB --goal latency --library nvshmem-ibrc --isolate threads=64 "
       "background_ctas=8",
       "--isolate: nvshmem-ibrc has no queue of its own"},
  };
  for (const auto& c : cases) {
    INFO(c.arguments);
    const auto outcome = run(c.arguments);
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.err.find(c.expected) != std::string::npos);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("a platform nobody described: warnings by name, and a file that does not pretend",
          "[calibrate]") {
  const auto data = scratch / "stranger.csv", out = scratch / "stranger.json";
  std::ofstream{data}
      << "id,platform,subject,config,baseline,metric,stat,value,lo,hi,unit,section,note\n"
         "a,P-9,mini-gda,qps=1,,rate,value,1,,,Mmsg/s,s,\n";
  const auto outcome = run("calibrate " + data.string() + " --json -o " + out.string());
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("assumed-fact: P-9: the link rate") != std::string::npos);
  CHECK(outcome.err.find("too-few-rows: P-9") != std::string::npos);
  const auto report = nlohmann::json::parse(outcome.out);
  CHECK(report["warnings"].size() >= 2);
  CHECK(report["free_parameters"] == 0);
  CHECK(report["identifiability"]["P-9"]["open"].size() > 0);
  std::ifstream file{out};
  const auto platform = nlohmann::json::parse(file);
  for (const auto& p : platform["parameters"]) CHECK(p["provenance"] != "fitted");
}

TEST_CASE("validate exits 1 when a row is out of tolerance, and 0 otherwise", "[validate]") {
  const std::string data = "validate --data data/published/published.csv --json --tolerance ";
  const auto strict = run(data + "0.0001");
  CHECK(strict.status == 1);
  const auto j = nlohmann::json::parse(strict.out);
  CHECK(j["schema"] == "qpcast.validation/1");
  CHECK(j["rows"].size() == 126);
  for (const auto& row : j["rows"]) CHECK(row["modelled"].get<bool>() == !row.contains("reason"));
  CHECK(run(data + "9").status == 0);
}

TEST_CASE("a prediction in JSON has the contract's members", "[predict]") {
  const auto outcome =
      run("predict --platform P-IB --library mini-proxy workers=4 rings=32 --json");
  REQUIRE(outcome.status == 0);
  const auto j = nlohmann::json::parse(outcome.out);
  CHECK(j["schema"] == "qpcast.prediction/1");
  for (const auto& m : j["metrics"]) {
    CHECK(m["lo"].get<double>() <= m["value"].get<double>());
    CHECK(m["value"].get<double>() <= m["hi"].get<double>());
    CHECK_FALSE(m["unit"].get<std::string>().empty());
  }
  CHECK_FALSE(j["bottleneck"].get<std::string>().empty());
  CHECK_FALSE(j["utilisation"].empty());
}

TEST_CASE("imported rows are measurements that validate and report read", "[import][report]") {
  const auto rows = (scratch / "rows.jsonl").string();
  const std::string fixtures = "calibrate/import/fixtures/";
  const auto imported =
      run("import perftest " + fixtures + "write_bw_q4.txt " + fixtures + "write_lat.txt " +
          fixtures + "write_bw.json --platform P-IB -o " + rows);
  REQUIRE(imported.status == 0);
  CHECK(imported.out.find("4 rows of 3 files") != std::string::npos);
  const auto validated = run("validate --platform P-IB --json --data " + rows);
  CHECK(nlohmann::json::parse(validated.out)["summary"]["modelled"] == 4);
  const auto page = scratch / "page.html";
  REQUIRE(run("report --platform P-IB --data " + rows + " -o " + page.string()).status == 0);
  const auto html = qpcast::io::read_text(page);
  CHECK(html.find("write_bw_q4:") != std::string::npos);
  CHECK(html.find("nic.ceiling") != std::string::npos);
}

TEST_CASE("an advice in JSON says what to set, the gain and the risk", "[advise]") {
  const auto outcome =
      run("advise --platform P-IB --library nvshmem-ibgda --goal rate --qp-budget 5 "
          "threads=1024 sms=64 payload=8 --draws 100 --json");
  REQUIRE(outcome.status == 0);
  const auto j = nlohmann::json::parse(outcome.out);
  CHECK(j["schema"] == "qpcast.advice/1");
  REQUIRE(j["advice"].size() == 1);
  const auto& a = j["advice"][0];
  REQUIRE(a["verdict"] == "change");
  const auto& c = a["candidates"][0];
  CHECK(c["settings"][0]["name"] == "NVSHMEM_IB_ENABLE_IBGDA");
  CHECK(c["queue_pairs"].get<double>() <= 5);
  CHECK(c["gain"]["lo"].get<double>() <= c["gain"]["hi"].get<double>());
  CHECK(c["simulated"]["value"].get<double>() >= 0.95 * a["default"]["simulated"].get<double>());
  CHECK(c["worse_than_default_share"].get<double>() <= 1);
  CHECK(a["space"]["layouts"].get<double>() > 1000);
  CHECK(a["space"]["complete"] == true);
}

TEST_CASE("constraints that nothing keeps: exit 1, and the one that cannot be met", "[advise]") {
  const std::string one =
      "advise --platform P-IB --goal rate --draws 20 threads=64 payload=8 "
      "--library nvshmem-ibgda --max-latency 0.01";
  for (const char* json : {"", " --json"}) {
    const auto outcome = run(one + json);
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find("qpcast: advise: nvshmem-ibgda: no layout of the space keeps "
                           "--max-latency 0.01: ") == 0);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK_FALSE(outcome.out.empty());
  }
}

TEST_CASE("without a library, every library is considered or named with the reason", "[advise]") {
  const auto outcome =
      run("advise --platform P-IB --goal latency --isolate background_ctas=64 threads=512 sms=64 "
          "--draws 50 --messages 50000 --json");
  REQUIRE(outcome.status == 0);
  const auto j = nlohmann::json::parse(outcome.out);
  CHECK(j["advice"].size() + j["not_considered"].size() == 10);
  for (const auto& a : j["advice"])
    if (a["verdict"] == "change")
      CHECK(a["candidates"][0]["layout"].get<std::string>().find("queue=private") !=
            std::string::npos);
}

TEST_CASE("a simulated prediction says how it came about", "[simgrid]") {
  const std::string command =
      "predict --platform P-IB --solver simgrid --seed 7 --messages 50000 --json threads=512 "
      "sms=64 "
      "contexts=65 submitter=gpu background_ctas=64 queue=private window=1";
  const auto outcome = run(command);
  REQUIRE(outcome.status == 0);
  CHECK(run(command).out == outcome.out);
  const auto s = nlohmann::json::parse(outcome.out)["simulation"];
  CHECK(s["seed"] == 7);
  CHECK(s["stopping_rule"]["messages"] == 50000);
  CHECK(s["warm_up"].get<int>() > 0);
  CHECK(s["messages"] >= s["warm_up"]);
  for (const char* what : {"latency", "probe"}) {
    const auto& l = s[what];
    INFO(what);
    CHECK(l["p50"] <= l["p99"]);
    CHECK(l["p99"] <= l["p999"]);
    std::uint64_t counted = 0;
    for (const auto& bucket : l["histogram"]) counted += bucket[1].get<std::uint64_t>();
    CHECK(counted == l["count"]);
    CHECK(counted > 0);
  }
}

TEST_CASE("a workload on a fabric, as text and as JSON", "[simgrid][workload]") {
  const std::string command =
      "predict --platform P-IB --solver simgrid --workload moe-dispatch --fabric fat-tree-2to1 "
      "ranks=32";
  const auto text = run(command), json = run(command + " --json");
  REQUIRE(text.status == 0);
  CHECK(text.out.find("issue end") != std::string::npos);
  REQUIRE(json.status == 0);
  const auto j = nlohmann::json::parse(json.out);
  CHECK(j["schema"] == "qpcast.exchange/1");
  CHECK(j["per_rank"].size() == 32);
  CHECK(j["issue_end_us"]["max"] < j["last_arrival_us"]["max"]);
  CHECK(j["duration_us"] == j["last_arrival_us"]["max"]);
}

TEST_CASE("an interrupted sweep of simulations resumes", "[simgrid][sweep]") {
  const auto out = scratch / "sweep.csv", whole = scratch / "whole.csv";
  const std::string sweep =
      "sweep --platform P-IB --solver simgrid --messages 300000 --half-width 0 submitter=gpu "
      "threads=64 sms=64 qps=1..64*2 batch=1,4,16 publication=thread-handoff -o ";
  REQUIRE(run(sweep + whole.string()).status == 0);
  // Killed without a chance to tidy up, once the first of its chunks is on disk.
  const auto killed = std::string{QPCAST_EXECUTABLE} + " " + sweep + out.string() +
                      R"( >/dev/null 2>&1 & p=$!; until grep -q '"layouts":[1-9]' )" +
                      out.string() + ".progress 2>/dev/null || ! kill -0 $p; do sleep 0.01; done;" +
                      " kill -KILL $p";
  CHECK(std::system(killed.c_str()) == 0);  // NOLINT: a test's own words
  CHECK_FALSE(fs::exists(out));
#ifdef __SANITIZE_ADDRESS__
  const std::string jobs = "1";  // its allocator does not survive a fork beside other threads
#else
  const std::string jobs = "2";
#endif
  const auto rest = run(sweep + out.string() + " --jobs " + jobs);
  CHECK(rest.status == 0);
  CHECK(rest.err.find("resumed after") != std::string::npos);
  CHECK(qpcast::io::read_text(out) == qpcast::io::read_text(whole));
}

TEST_CASE("every subcommand has help with an example", "[help]") {
  for (const char* sub : {"platforms", "predict", "sweep", "validate", "calibrate", "advise",
                          "import", "report", "completion"}) {
    const auto outcome = run(std::string{sub} + " --help");
    INFO(sub);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("qpcast " + std::string{sub}) != std::string::npos);
  }
  for (const char* shell : {"bash", "zsh", "fish"})
    CHECK(run(std::string{"completion "} + shell).out.find("predict") != std::string::npos);
}

TEST_CASE("settings users already have", "[env]") {
  std::ofstream{scratch / "job.env"}
      << "export NVSHMEM_IB_ENABLE_IBGDA=1\nNVSHMEM_IBGDA_NUM_RC_PER_PE=8\n";
  const auto outcome =
      run("predict --platform P-IB --json threads=256 --env " + (scratch / "job.env").string());
  REQUIRE(outcome.status == 0);
  CHECK(nlohmann::json::parse(outcome.out)["layout"] == "library=nvshmem-ibgda;threads=256;qps=8");
  const auto clash = run("predict --platform P-IB qps=4 --env " + (scratch / "job.env").string());
  CHECK(clash.status == 2);
  CHECK(clash.err.find("qps: set to 8, but to 4 on the command line") != std::string::npos);
}
