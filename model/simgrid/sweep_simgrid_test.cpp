/// Sweeps of simulations: the same bytes for any number of processes, interrupted or not.
#include <catch2/catch.hpp>
#include <filesystem>

#include "model/simgrid/simgrid_solver.hpp"
#include "model/testing.hpp"
#include "scenarios/io/sweep_file.hpp"
#include "scenarios/io/text_file.hpp"

using namespace qpcast;
namespace fs = std::filesystem;

namespace {

// A simulation forks; glibc's malloc survives that in a process with threads, g++ 12's
// AddressSanitizer keeps its allocator locked in the child.
#ifdef __SANITIZE_ADDRESS__
constexpr int many = 1;
#else
constexpr int many = 3;
#endif

/// Simulates with the priors, and dies after `limit` layouts as a killed run would.
io::SweepRun run_to(const fs::path& out, int jobs, int limit = 1 << 30) {
  io::SweepRun run;
  run.out = out;
  run.platform = "priors";
  run.signature = "simulations";
  run.jobs = jobs;
  run.chunk = 2;
  run.make_predictor = [limit]() -> io::Predictor {
    SimulationOptions options;
    options.messages = 20'000;
    options.lone_probes = 20;
    auto solver = std::make_shared<SimgridSolver>(testing::prior_platform(), options);
    auto count = std::make_shared<int>(0);
    return [=](const Layout& layout) {
      if (++*count > limit) throw std::runtime_error{"killed"};
      return solver->predict(layout, nullptr);
    };
  };
  return run;
}

}  // namespace

TEST_CASE("an interrupted sweep of simulations resumes to the same bytes", "[sweep]") {
  const auto dir = fs::temp_directory_path() / "qpcast-simgrid-sweep-test";
  fs::remove_all(dir);
  fs::create_directories(dir);
  const Sweep sweep{
      {"submitter=gpu", "threads=8", "qps=1,2,8", "batch=1,16", "payload=8,4096"}, {}, "t"};
  io::run_sweep(sweep, run_to(dir / "one.jsonl", 1));
  io::run_sweep(sweep, run_to(dir / "three.jsonl", many));
  const auto whole = io::read_text(dir / "one.jsonl");
  CHECK(std::count(whole.begin(), whole.end(), '\n') == static_cast<long>(sweep.size()));
  CHECK(whole == io::read_text(dir / "three.jsonl"));
  CHECK_THROWS(io::run_sweep(sweep, run_to(dir / "killed.jsonl", 1, 5)));
  CHECK_FALSE(fs::exists(dir / "killed.jsonl"));
  CHECK(io::run_sweep(sweep, run_to(dir / "killed.jsonl", many)) == 4);
  CHECK(io::read_text(dir / "killed.jsonl") == whole);
  fs::remove_all(dir);
}
