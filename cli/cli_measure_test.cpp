/// The executable on an emulated NIC: runs that stop, live validations, faults.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/executable.hpp"

namespace fs = std::filesystem;
using namespace qpcast::cli_test;

TEST_CASE("calibrate says that a run did not finish its plan", "[measure][calibrate]") {
  const auto rows = scratch / "unfinished.jsonl", platform = scratch / "unfinished.json";
  const std::string measure = "measure --nic emulated -F --passes 1 --experiment batching -o " +
                              rows.string() + " --platform E",
                    calibrate = "calibrate --no-leave-one-out " + rows.string() + " -o " +
                                platform.string();
  REQUIRE(run(measure + " --emulate 'fault=queue-error;after=100'").status == 3);
  const auto early = run(calibrate);
  INFO(early.err);
  CHECK(early.status == 0);
  CHECK(early.err.find("warning: unfinished-plan: " + rows.string() + ": ") != std::string::npos);
  CHECK(early.err.find("of points that failed, the first: emulated: ") != std::string::npos);
  REQUIRE(run(measure).status == 0);
  CHECK(run(calibrate).err.find("unfinished-plan") == std::string::npos);
}

TEST_CASE("a live validation of which every point fails says so, and has no rows to compare",
          "[validate]") {
  const auto rows = scratch / "all-failed.jsonl";
  const auto outcome =
      run("validate --live --platform P-IB --nic emulated -F --layouts 1 --passes 1 --emulate "
          "'fault=peer-dead;after=1' -o " +
          rows.string());
  INFO(outcome.err);
  CHECK(outcome.status == 3);
  CHECK(outcome.err.find("1 point failed") != std::string::npos);
  CHECK(outcome.err.find("no rows yet") == std::string::npos);
}

TEST_CASE("a live validation forecasts with the solver asked for, and skips nobody's experiments",
          "[validate]") {
  const auto forecasts_of = [](const fs::path& rows) {
    return nlohmann::json::parse(qpcast::io::read_text(rows.string() + ".forecasts.json"));
  };
  const std::string command =
      "validate --live --platform P-IB --nic emulated -F --layouts 3 --passes 1 --seed 5 ";
  std::map<std::string, nlohmann::json> files;
  for (const std::string solver : {"analytic", "simgrid"}) {
    const auto rows = scratch / ("live-" + solver + ".jsonl");
    const auto outcome = run(command + "--solver " + solver + " -o " + rows.string());
    INFO(outcome.err);
    CHECK(outcome.status <= 1);  // the platform is another machine's: any error is fine
    CHECK(outcome.err.find(solver + " forecasts written to") != std::string::npos);
    CHECK(outcome.err.find("skipped ") == std::string::npos);
    files[solver] = forecasts_of(rows);
    CHECK(files[solver]["solver"] == solver);
    const auto report =
        nlohmann::json::parse(qpcast::io::read_text(rows.string() + ".report.json"));
    CHECK(report["solver"] == solver);
  }
  auto& analytic = files["analytic"]["forecasts"];
  auto& simulated = files["simgrid"]["forecasts"];
  REQUIRE(analytic.size() == simulated.size());
  int differ = 0;
  for (std::size_t i = 0; i < analytic.size(); ++i) {
    CHECK(analytic[i]["id"] == simulated[i]["id"]);
    differ += analytic[i].value("value", 0.0) != simulated[i].value("value", 0.0) ? 1 : 0;
  }
  CHECK(differ > 0);
  // One file holds the forecasts of one solver.
  const auto other = run(command + "-o " + (scratch / "live-simgrid.jsonl").string());
  CHECK(other.status == 2);
  CHECK(other.err.find("simgrid solver") != std::string::npos);
}

TEST_CASE("a fault of the NIC: exit 3, the rows kept, and the next run goes on", "[measure]") {
  const auto [fault, message] = GENERATE(
      table<std::string, std::string>({{"queue-error", "put into error on request"},
                                       {"completion-overrun", "the completion queue overran"},
                                       {"peer-dead", "the peer died"},
                                       {"device-removed", "the device was removed"}}));
  const auto rows = scratch / (fault + ".jsonl");
  const std::string command =
      "measure --nic emulated -F --patience 5000 --passes 1 --experiment handoff -o " +
      rows.string();
  REQUIRE(run(command).status == 0);
  const auto finished = qpcast::io::read_text(rows);
  REQUIRE_FALSE(finished.empty());

  const std::string more = command + " --experiment batching";
  const auto broken = run(more + " --emulate 'after=1000;fault=" + fault + "'");
  INFO(broken.err);
  CHECK(broken.status == 3);
  CHECK(broken.err.find(message) != std::string::npos);
  if (fault == "device-removed") {
    CHECK(broken.err.find("qpcast: emulated: ") != std::string::npos);
  } else {
    CHECK(broken.err.find("\nfailed: ") != std::string::npos);
    CHECK(broken.err.find("1 point failed; every other row is kept") != std::string::npos);
    CHECK(broken.out.find(", 1 failed\n") != std::string::npos);
  }
  CHECK(qpcast::io::read_text(rows).starts_with(finished));

  const auto whole = run(more);
  CHECK(whole.status == 0);
  CHECK(whole.out.find("kept") != std::string::npos);
  CHECK(qpcast::io::read_text(rows).size() > finished.size());
}
