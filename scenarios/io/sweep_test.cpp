#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "model/analytic/analytic.hpp"
#include "model/error.hpp"
#include "model/testing.hpp"
#include "scenarios/io/sweep_file.hpp"
#include "scenarios/io/text_file.hpp"

using namespace qpcast;
namespace fs = std::filesystem;

namespace {

/// Predicts with the priors; kills its own process after `limit` layouts.
io::SweepRun run_to(const fs::path& out, int jobs, int limit = 1 << 30) {
  io::SweepRun run;
  run.out = out;
  run.platform = "priors";
  run.signature = "test";
  run.jobs = jobs;
  run.make_predictor = [limit]() -> io::Predictor {
    auto solver = std::make_shared<AnalyticSolver>(testing::prior_platform());
    auto count = std::make_shared<int>(0);
    return [=](const Layout& layout) {
      if (++*count > limit) ::raise(SIGKILL);
      return solver->predict(layout, nullptr);
    };
  };
  return run;
}

const Sweep& sweep() {
  static const Sweep s{
      {"submitter=gpu", "qps=1..25", "threads=1..40", "batch=1..32*2", "payload=8,64,512,4096"},
      {},
      "t"};
  return s;
}

/// Runs a sweep in a process of its own; the signal that ended it.
int killed_by(const io::SweepRun& run) {
  const auto child = ::fork();
  if (child == 0) {
    io::run_sweep(sweep(), run);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("a sweep gives the same bytes for any number of jobs, interrupted or not", "[sweep]") {
  const auto dir = fs::temp_directory_path() / "qpcast-sweep-test";
  fs::remove_all(dir);
  fs::create_directories(dir);
  io::run_sweep(sweep(), run_to(dir / "one.csv", 1));
  io::run_sweep(sweep(), run_to(dir / "three.csv", 3));
  const auto one = io::read_text(dir / "one.csv");
  CHECK(std::count(one.begin(), one.end(), '\n') == static_cast<long>(sweep().size()) + 1);
  CHECK(one == io::read_text(dir / "three.csv"));

  std::ofstream{dir / "killed.csv"} << "an older result";
  CHECK(killed_by(run_to(dir / "killed.csv", 1, 12000)) == SIGKILL);
  CHECK(io::read_text(dir / "killed.csv") == "an older result");
  std::ofstream{dir / "killed.csv.partial", std::ios::app} << "torn li";
  const auto already = io::run_sweep(sweep(), run_to(dir / "killed.csv", 2));
  CHECK(already > 0);
  CHECK(already < sweep().size());
  CHECK(io::read_text(dir / "killed.csv") == one);
  CHECK_FALSE(fs::exists(dir / "killed.csv.partial"));

  CHECK(killed_by(run_to(dir / "fresh.csv", 1, 9000)) == SIGKILL);
  auto other = run_to(dir / "fresh.csv", 1);
  other.signature = "another sweep";  // nothing of the first may survive in it
  CHECK(io::run_sweep(sweep(), other) == 0);
  CHECK(io::read_text(dir / "fresh.csv") == one);
  fs::remove_all(dir);
}

TEST_CASE("two sweeps do not write one file", "[sweep]") {
  const auto path = fs::temp_directory_path() / "qpcast-locked.csv";
  const int held = ::open((path.string() + ".partial").c_str(), O_CREAT | O_RDWR, 0644);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  CHECK_THROWS_WITH(io::run_sweep(sweep(), run_to(path, 1)),
                    Catch::Contains("another sweep is writing this file"));
  ::close(held);
  fs::remove(path.string() + ".partial");
}

TEST_CASE("layouts that contradict themselves are rows with the reason", "[sweep]") {
  const auto path = fs::temp_directory_path() / "qpcast-contradiction.jsonl";
  const Sweep s{{"inline=1", "payload=8,4096"}, {}, "t"};
  io::run_sweep(s, run_to(path, 1));
  const auto text = io::read_text(path);
  CHECK(text.find("\"error\":\"layout: inline") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  fs::remove(path);
  CHECK_THROWS_AS(io::run_sweep(s, run_to("out.txt", 1)), InputError);
}
