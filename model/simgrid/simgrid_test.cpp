/// The discrete-event solver against the closed forms, and where it alone can tell.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "model/error.hpp"
#include "model/simgrid/agreement.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "scenarios/io/csv.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

using namespace qpcast;
using simgrid::Scenario;

namespace {

SimulationOptions small() {
  SimulationOptions o;
  o.messages = 100'000;
  o.lone_probes = 200;
  return o;
}

const Platform& p_ib() {
  static const auto platforms = io::read_platforms("data/platforms");
  return platforms.at("P-IB");
}

simgrid::SimulationResult simulate(const char* text, const SimulationOptions& options,
                                   Scenario scenario = Scenario::traffic) {
  static const auto presets = io::read_presets("scenarios/libraries");
  const auto layout = parse_layout(text, "test");
  SimgridSolver solver{p_ib(), options};
  return solver.simulate({layout, find_preset(presets, layout.library, "test")}, scenario);
}

const char* const drifting =
    "library=gin-gdaki;submitter=gpu;contexts=16;threads=512;sms=16;batch=16;"
    "publication=warp-drifting";
const char* const synchronised =
    "library=gin-gdaki;submitter=gpu;contexts=16;threads=512;sms=16;batch=16;"
    "publication=warp-synchronised";

}  // namespace

TEST_CASE("a lone message takes the sum of its path") {
  const char* const text = GENERATE("submitter=gpu;threads=1;qps=1",
                                    "submitter=gpu;threads=1;qps=1;payload=4096;inline=0",
                                    "submitter=proxy;threads=1;workers=1;rings=1;handoff=tuned");
  INFO(text);
  AnalyticSolver analytic{p_ib()};
  const auto expected = analytic.predict(parse_layout(text, "test"), nullptr);
  const auto r = simulate(text, small(), Scenario::lone);
  CHECK(r.issue == Approx(expected.find(Metric::issue)->value).epsilon(0.02));
  CHECK(r.put_completion == Approx(expected.find(Metric::put_completion)->value).epsilon(0.02));
  CHECK(r.probe.mean() == Approx(expected.find(Metric::rtt)->value).epsilon(0.02));
}

TEST_CASE("both solvers agree on random layouts") {
  AnalyticSolver analytic{p_ib()};
  SimgridSolver solver{p_ib(), small()};
  simgrid::Random random{11};
  std::vector<double> errors;
  for (int i = 0; i < 40; ++i) {
    const Question q{
        Metric::rate, Statistic::value, {simgrid::agreement_layout(random), nullptr}, {}};
    const double error = std::abs(solver.answer(q).estimate.value / analytic.point(q) - 1);
    INFO(q.config.layout.to_string() << ": " << error);
    errors.push_back(error);
  }
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() / 2] <= 0.05);
  CHECK(errors[errors.size() * 8 / 10] <= 0.15);
}

TEST_CASE("threads nobody counts saturate: the closed form's rate, any NIC, any connections") {
  auto platform = p_ib();
  const auto scale = [&](const char* name, double factor) {
    const auto at = std::find_if(platform.parameters.begin(), platform.parameters.end(),
                                 [&](const Parameter& p) { return p.name == name; });
    REQUIRE(at != platform.parameters.end());
    at->value *= factor;
  };
  scale("nic.ceiling", GENERATE(1.0, 4.0, 20.0));
  scale("gpu.sm_contention", GENERATE(1.0, 3.0));
  scale("conn.onset_bidirectional", 4);  // 700: closer to where the cache just overflows
  AnalyticSolver analytic{platform};
  SimgridSolver solver{platform, small()};
  for (const char* role : {"send", "bidirectional", "all-to-all"})
    for (const int connections : {16, 1024, 2048, 32'768}) {
      const auto text =
          "submitter=gpu;role=" + std::string{role} + ";active_qps=" + std::to_string(connections);
      INFO(text);
      const Question q{Metric::rate, Statistic::value, {parse_layout(text, "test"), nullptr}, {}};
      CHECK(solver.answer(q).estimate.value == Approx(analytic.point(q)).epsilon(0.03));
    }
}

TEST_CASE("where contexts begin to miss is where the platform says the cache ends") {
  AnalyticSolver analytic{p_ib()};
  SimgridSolver solver{p_ib(), small()};
  const char* const role = GENERATE("bidirectional", "all-to-all");
  const auto layout = parse_layout("submitter=gpu;role=" + std::string{role}, "test");
  const Question q{Metric::onset_active_qps, Statistic::value, {layout, nullptr}, {}};
  CHECK(solver.answer(q).estimate.value == Approx(analytic.point(q)).epsilon(0.02));
}

TEST_CASE("the committed agreement keeps what it promises", "[agreement]") {
  const io::CsvTable table{io::read_text("data/agreement/agreement.csv"), "agreement.csv"};
  std::vector<double> differences;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto number = [&](const char* column) { return std::stod(table.cell(row, column)); };
    const double analytic = number("analytic_mmsg_per_s");
    differences.push_back(std::abs(number("relative_difference")));
    INFO(table.cell(row, "layout"));
    CHECK(number("simulated_mmsg_per_s") / analytic - 1 ==
          Approx(number("relative_difference")).margin(1e-3));
    if (differences.back() <= simgrid::disagreement) continue;
    CHECK_FALSE(table.cell(row, "effect").empty());
    CHECK(std::abs(number("without_it") / analytic - 1) <= simgrid::disagreement);
  }
  std::sort(differences.begin(), differences.end());
  CHECK(differences.size() >= 200);
  CHECK(differences[differences.size() / 2] <= 0.05);
  CHECK(differences[differences.size() * 9 / 10] <= 0.15);
}

TEST_CASE("an effect that is switched off is what parted the solvers") {
  AnalyticSolver analytic{p_ib()};
  auto options = small();
  const auto part = [&](const char* text, const SimulationOptions& o) {
    const Question q{Metric::rate, Statistic::value, {parse_layout(text, "test"), nullptr}, {}};
    return std::abs(SimgridSolver{p_ib(), o}.answer(q).estimate.value / analytic.point(q) - 1);
  };
  const char* const visits =
      "submitter=gpu;role=bidirectional;active_qps=4096;writes_per_visit=256;payload=8";
  CHECK(part(visits, options) > simgrid::disagreement);
  options.off.eviction = true;
  CHECK(part(visits, options) < 0.05);
}

TEST_CASE("slots are published as they were reserved: one slow builder holds back all others") {
  const auto rate = [](const char* publication, double jitter) {
    auto options = small();
    options.lane_jitter = jitter;
    const auto text = std::string{
        "submitter=gpu;qps=1;threads=2;sms=2;batch=1;payload=200;inline=1;clock_mhz=700;"
        "publication="};
    return simulate((text + publication).c_str(), options).rate;
  };
  // A lock lets whoever is ready go first; taking it costs the same every time.
  const double lost = rate("thread-handoff", 1) / rate("thread-handoff", 0);
  CHECK(lost < 0.95 * rate("lock-per-wqe", 1) / rate("lock-per-wqe", 0));
}

TEST_CASE("the same seed gives the same bits, another one lies within the interval") {
  auto options = small();
  const auto a = simulate(drifting, options), b = simulate(drifting, options);
  CHECK(a.rate == b.rate);
  CHECK(a.events == b.events);
  CHECK(a.latency.mean() == b.latency.mean());
  options.seed = 2;
  const auto c = simulate(drifting, options);
  CHECK(c.rate != a.rate);
  CHECK(std::abs(c.rate / a.rate - 1) <= 3 * (a.half_width + c.half_width));
}

TEST_CASE("the stated interval covers what other seeds give", "[seed]") {
  auto options = small();
  options.half_width = 0;
  std::vector<simgrid::SimulationResult> runs;
  double mean = 0;
  constexpr int seeds = 20;
  for (options.seed = 1; options.seed <= seeds; ++options.seed) {
    runs.push_back(simulate(drifting, options));
    mean += runs.back().rate / seeds;
  }
  const auto covered = std::count_if(runs.begin(), runs.end(), [&](const auto& r) {
    return std::abs(r.rate / mean - 1) <= r.half_width;
  });
  CHECK(covered >= 17);  // 95 % of 20 is 19; fewer than 17 happens once in a hundred
}

TEST_CASE("lanes drift apart by themselves, further the longer they run") {
  auto options = small();
  const auto together = simulate(synchronised, options);
  CHECK(together.run_length == Approx(16));
  options.warm_up = 0;
  options.half_width = 0;
  double last = 17;
  for (const std::uint64_t messages : {2'000U, 20'000U, 200'000U}) {
    options.messages = messages;
    const double run = simulate(drifting, options).run_length;
    INFO(messages << " messages: " << run << " WQEs announced at once");
    CHECK(run < last);
    last = run;
  }
  CHECK(simulate(drifting, small()).rate < 0.6 * together.rate);
  options = small();
  options.lane_jitter = 0;
  CHECK(simulate(drifting, options).rate > together.rate);  // nothing else draws lanes apart
}

TEST_CASE("a probe behind a shared ring waits for everything in it, on a private one it does not") {
  auto options = small();
  options.messages = 600'000;
  options.probes = 8;
  const std::string bulk = "library=mini-proxy;workers=1;rings=1;background_ctas=64;queue=";
  const auto shared = simulate((bulk + "shared").c_str(), options);
  const auto own = simulate((bulk + "private").c_str(), options);
  CHECK(shared.probe.mean() > 10'000);
  CHECK(own.probe.mean() < 1'000);
  CHECK(shared.rate == Approx(own.rate).epsilon(0.05));
}

TEST_CASE("a queue pair carries no more than its depth in the time of one completion") {
  const std::string publication = GENERATE("lock-per-wqe", "thread-handoff", "warp-cooperative",
                                           "warp-synchronised", "warp-drifting");
  const int depth = GENERATE(32, 64);
  INFO(publication << ", depth " << depth);
  const auto at = [&](int d) {
    return simulate(("submitter=gpu;threads=256;qps=1;batch=8;publication=" + publication +
                     ";queue_depth=" + std::to_string(d))
                        .c_str(),
                    small());
  };
  const auto shallow = at(depth);
  const auto lone = simulate("submitter=gpu", small(), Scenario::lone);
  CHECK(shallow.rate < depth / lone.doorbell_to_cqe);
  CHECK(at(4096).rate >= 0.99 * shallow.rate);
}

TEST_CASE("a probe in a shared queue waits behind it, however lanes publish") {
  const std::string publication =
      GENERATE("thread-handoff", "warp-cooperative", "warp-synchronised", "warp-drifting");
  INFO(publication);
  auto options = small();
  options.messages = 400'000;
  const auto rtt = [&](const std::string& queue) {
    const auto text =
        "library=gin-gdaki;submitter=gpu;threads=512;sms=64;contexts=1;batch=16;"
        "background_ctas=64;publication=" +
        publication + ";queue=" + queue;
    return simulate(text.c_str(), options).probe.mean();
  };
  CHECK(rtt("shared") > 3 * rtt("private"));
}

TEST_CASE("a probe's flush of a shared context waits for what others have outstanding there") {
  auto options = small();
  const std::string bulk =
      "library=gin-gdaki;submitter=gpu;threads=512;sms=64;contexts=65;background_ctas=64;queue=";
  const auto rtt = [&](const std::string& queue) {
    return simulate((bulk + queue).c_str(), options).probe.mean();
  };
  const auto whole = simulate((bulk + "shared-with-one").c_str(), options);
  const double cycle = 8 / (whole.rate / 64);  // of the eight threads of one context
  const double own = rtt("private"), alone = rtt("shared-with-one;completion=per-qp");
  CHECK(alone < own + 2);
  CHECK(whole.probe.mean() > own + cycle);
  CHECK(whole.probe.mean() < own + 2.2 * cycle);
}

TEST_CASE("misses begin where the cache ends, and cyclic visits under LRU fall off a cliff") {
  auto options = small();
  options.messages = 1'000'000;
  const auto at = [&](int connections) {
    return simulate(("submitter=gpu;role=bidirectional;writes_per_visit=32;active_qps=" +
                     std::to_string(connections))
                        .c_str(),
                    options);
  };
  const auto few = at(100), many = at(2600);  // P-IB's onset between two NICs is 174
  CHECK(few.misses <= 100);
  CHECK(many.rate < few.rate);
  options.replacement = simgrid::Replacement::lru;
  options.cyclic_visits = true;
  CHECK(at(2600).rate < many.rate);
}

TEST_CASE("what cannot progress says who waits for what") {
  auto options = small();
  options.send_queue = 16;
  CHECK_THROWS_WITH(simulate("submitter=gpu;threads=4;qps=4;batch=32", options),
                    Catch::Contains("batch: each of 4 threads waits for 32 free slots") &&
                        Catch::Contains("holds 16"));
  CHECK_THROWS_WITH(
      simulate("submitter=gpu;threads=64;qps=2;batch=32;publication=warp-drifting", options),
      Catch::Contains("batch: a section announces up to 32 WQEs, but the queue pair holds 16"));
  options.send_queue = 0;
  CHECK_THROWS_WITH((SimgridSolver{p_ib(), options}), Catch::Contains("send_queue"));
  options = small();
  options.ring = 0;
  CHECK_THROWS_AS((SimgridSolver{p_ib(), options}), InputError);
}

TEST_CASE("a trace is valid JSON with one track per thread, queue, NIC and link", "[trace]") {
  const std::string text =
      GENERATE("submitter=gpu;threads=4;qps=2;batch=4;publication=thread-handoff",
               "submitter=gpu;threads=64;qps=2;batch=8;publication=warp-drifting",
               "submitter=gpu;threads=64;qps=2;batch=8;publication=warp-synchronised",
               "submitter=gpu;threads=64;qps=2;batch=32;publication=warp-cooperative",
               "submitter=proxy;threads=8;workers=2;rings=4;batch=4",
               "library=gin-gdaki;submitter=gpu;threads=64;sms=64;contexts=65;background_ctas=64;"
               "queue=private");
  INFO(text);
  auto options = small();
  options.trace_from = GENERATE(0.0, 50.0);
  options.trace = (std::filesystem::temp_directory_path() / "qpcast-trace-test.json").string();
  simulate(text.c_str(), options);
  std::ifstream in{options.trace};
  const auto j = nlohmann::json::parse(in);
  std::remove(options.trace.c_str());
  std::set<std::string> tracks, groups;
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> spans;
  std::map<int, int> open;
  for (const auto& e : j.at("traceEvents")) {
    if (e.at("name") == "thread_name") tracks.insert(e.at("args").at("name"));
    if (e.at("name") == "process_name") groups.insert(e.at("args").at("name"));
    if (e.at("ph") == "b") ++open[e.at("id")];
    if (e.at("ph") == "e") --open[e.at("id")];
    if (e.at("ph") != "X") continue;
    REQUIRE((e.at("ts") >= 0 && e.at("dur") >= 0));
    const double begin = e.at("ts"), end = begin + e.at("dur").get<double>();
    spans[{e.at("pid"), e.at("tid")}].emplace_back(begin, end);
  }
  CHECK(std::all_of(spans.begin(), spans.end(),
                    [&](const auto& s) { return s.second.back().second >= options.trace_from; }));
  for (const char* group : {"threads", "NIC", "links"}) CHECK(groups.count(group) == 1);
  for (const char* track : {"thread 0", "NIC 0", "link 0"}) CHECK(tracks.count(track) == 1);
  CHECK(std::all_of(open.begin(), open.end(), [](const auto& o) { return o.second == 0; }));
  constexpr double rounding = 2e-6;  // us: the file has six decimals
  for (auto& [track, of] : spans) {
    INFO("process " << track.first << ", track " << track.second);
    std::sort(of.begin(), of.end());
    for (std::size_t i = 1; i < of.size(); ++i) REQUIRE(of[i].first >= of[i - 1].second - rounding);
  }
}
