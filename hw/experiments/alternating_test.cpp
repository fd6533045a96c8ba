/// Alternating passes: their order, what a row is made of, and going on after a stop.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "hw/experiments/run_fixture.hpp"
#include "hw/experiments/short_plan.hpp"
#include "hw/experiments/statistics.hpp"
#include "hw/experiments/undisturbed.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using Fixture = RunFixture;

TEST_CASE("alternating passes: every point once per pass, joined at the end, and resumed") {
  Fixture f;
  auto plan = short_plan({"single operation", "batching"});
  plan.alternate = true;
  plan.passes = 3;
  const auto report = f.run(plan);
  CHECK(report.measured == f.rows().size());
  std::ifstream in{f.file + ".passes.jsonl"};
  std::vector<nlohmann::json> passes;
  for (std::string line; std::getline(in, line);) passes.push_back(nlohmann::json::parse(line));
  REQUIRE(passes.size() == 3 * f.rows().size());
  for (const auto& row : f.rows()) {
    INFO(row.dump());
    CHECK(row["passes"] == 3);
    std::vector<double> values;
    for (const auto& pass : passes)
      if (pass["id"].get<std::string>().starts_with(row["id"].get<std::string>() + "#"))
        values.push_back(pass["value"].get<double>());
    REQUIRE(values.size() == 3);
    CHECK(row["value"].get<double>() == Approx(median(values)));
  }
  // The second pass starts where the first ended.
  const auto base = [](const nlohmann::json& pass) {
    const auto id = pass["id"].get<std::string>();
    return id.substr(0, id.rfind('#'));
  };
  const auto n = f.rows().size();
  CHECK(base(passes[n]).substr(0, 8) == base(passes[n - 1]).substr(0, 8));
  const auto again = f.run(plan);
  CHECK(again.measured == 0);
  CHECK(again.kept == n);
}

TEST_CASE("alternating over a finished file measures no pass") {
  Fixture f;
  auto plan = short_plan({"handoff"});
  f.run(plan);
  const auto before = f.rows();
  plan.alternate = true;
  const auto report = f.run(plan);
  CHECK(report.was_finished);
  CHECK(report.kept == before.size());
  CHECK(report.measured == 0);
  CHECK_FALSE(std::filesystem::exists(f.file + ".passes.jsonl"));
  CHECK(f.rows() == before);
}

TEST_CASE("alternating goes on with what another run left, and with nothing else") {
  Fixture f;
  f.run(short_plan({"handoff"}));
  const auto before = f.rows();
  auto plan = short_plan({"handoff", "queues"});
  plan.alternate = true;
  const auto report = f.run(plan);
  CHECK(report.kept == before.size());
  CHECK(report.measured == f.rows().size() - before.size());
  std::ifstream in{f.file + ".passes.jsonl"};
  for (std::string line; std::getline(in, line);)
    CHECK_FALSE(nlohmann::json::parse(line)["id"].get<std::string>().starts_with("handoff"));
}

TEST_CASE("a run that was stopped among its passes keeps them, and what they say") {
  Fixture f;
  auto plan = short_plan({"batching"});
  plan.alternate = true;
  plan.passes = 3;
  const auto file = f.file + ".passes.jsonl";
  QuietPlaces shared{{0, 1, 2, 3}, [n = 0](int) mutable { return n++ < 4 ? 2000.0 : 900.0; }};
  auto part = plan;
  part.passes = 1;  // as if it had been stopped after the first
  f.run(part, nullptr, nullptr, &shared);
  std::filesystem::remove(f.file);
  QuietPlaces quiet{{0, 1, 2, 3}, [](int) { return 2000.0; }};
  f.run(plan, nullptr, nullptr, &quiet);
  REQUIRE_FALSE(f.rows().empty());
  std::set<std::string> ids;
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);)
    CHECK(ids.insert(nlohmann::json::parse(line)["id"].get<std::string>()).second);
  CHECK(ids.size() == 3 * f.rows().size());
  for (const auto& row : f.rows()) {
    CHECK(row["passes"] == 2);
    CHECK(row["environment"]["passes.cpu_shared"] == "1");
  }
}

TEST_CASE("a row is made of undisturbed passes, or of the two at the quickest clocks") {
  const auto values = [](std::vector<TimedPass> passes) {
    std::vector<double> all;
    for (const auto& pass : undisturbed(std::move(passes))) all.push_back(pass.value);
    return all;
  };
  CHECK(values({}).empty());
  CHECK(values({{1, 0, false}}) == std::vector<double>{1});
  CHECK(values({{1, 20, false}, {2, 30, false}, {3, 90, true}}) == std::vector<double>{2, 1});
  CHECK(values({{1, 20, true}, {2, 10, false}, {3, 30, true}}) == std::vector<double>{2, 3});
  CHECK(values({{1, 20, true}, {2, 10, true}, {3, 30, true}}) == std::vector<double>{3, 1});
}

TEST_CASE("a pass that somebody disturbed is measured again once, and the row says what was left") {
  Fixture f;
  auto plan = short_plan({"batching"});
  plan.alternate = true;
  plan.passes = 3;
  SECTION("nobody") {
    QuietPlaces places{{0, 1, 2, 3}, [](int) { return 2000.0; }};
    f.run(plan, nullptr, nullptr, &places);
    for (const auto& row : f.rows()) {
      CHECK(row["passes"] == 3);
      CHECK_FALSE(row["environment"].contains("passes.cpu_shared"));
    }
  }
  SECTION("each processor slows down while it is used") {
    int looks = 0;
    QuietPlaces places{{0, 1, 2, 3}, [&](int) { return looks++ % 7 < 4 ? 2000.0 : 900.0; }};
    f.run(plan, nullptr, nullptr, &places);
    REQUIRE_FALSE(f.rows().empty());
    bool said = false;
    for (const auto& row : f.rows()) {
      const int shared = std::stoi(row["environment"].value("passes.cpu_shared", "0"));
      CHECK(row["passes"] == (shared == 0 ? 3 : 2));
      said |= shared > 0;
    }
    CHECK(said);
  }
  SECTION("once, right after the first pass") {
    int looks = 0;
    // Four of the survey, then the two that say whether the pass was disturbed.
    QuietPlaces places{{0, 1, 2, 3}, [&](int) { return ++looks == 5 ? 900.0 : 2000.0; }};
    f.run(plan, nullptr, nullptr, &places);
    for (const auto& row : f.rows()) {
      CHECK(row["passes"] == 3);
      CHECK_FALSE(row["environment"].contains("passes.cpu_shared"));
    }
  }
}
