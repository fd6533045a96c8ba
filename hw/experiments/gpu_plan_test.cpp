// A plan on a real GPU against the emulated NIC: GPU threads submit, and produce for mini-proxy.
#include <catch2/catch.hpp>
#include <filesystem>

#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/run.hpp"
#include "hw/experiments/short_plan.hpp"
#include "hw/gda/gpu_link.hpp"
#include "hw/nic/emulated/emulated.hpp"
#include "scenarios/io/measurements.hpp"

using namespace qpcast;
using namespace qpcast::hw;

TEST_CASE("the GPU submits and produces, and every row says so", "[gpu]") {
  const auto* experiment = GENERATE("handoff", "batching", "proxy shape", "publication", "DC");
  const auto path = std::filesystem::temp_directory_path() / "qpcast-gpu-plan.jsonl";
  std::filesystem::remove(path);
  EmulatedNic nic;
  LocalPeer peer{nic};
  Bench bench{nic, peer, {}, std::chrono::milliseconds{10'000}};
  const auto gpu_nic = emulated_gpu_nic(nic.server());
  bench.gpu_nic = gpu_nic.get();
  bench.ring_memory = pinned_resource();
  const auto plan = short_plan({experiment}, "");
  RunReport report;
  {
    RowFile rows{path.string(), nic.kind(), nic.name()};
    report = run_plan(plan, bench, "test", {}, rows);
  }
  // The plan itself leaves out what two processors cannot serve; nothing else may be refused.
  CHECK(report.skipped.size() == plan.skipped.size());
  for (const auto& row : io::read_measurements(path)) {
    INFO(row.id);
    const auto submitter = row.layout.choice(Key::submitter, Submitter::host);
    const bool pings = row.metric == Metric::rtt || row.metric == Metric::rtt_p99;
    const bool on_gpu = submitter != Submitter::host && !pings;
    CHECK(row.environment.at("producer") == (on_gpu || gpu_submits(row.layout) ? "gpu" : "cpu"));
    CHECK(row.value > 0);
  }
  std::filesystem::remove(path);
}
