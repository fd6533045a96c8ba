/// For tests: a run over a NIC in memory, into a row file of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/memory_nic.hpp"
#include "hw/experiments/run.hpp"
#include "hw/experiments/scratch.hpp"

namespace qpcast::hw {

struct RunFixture {
  RunReport run(const Plan& plan, const std::atomic<bool>* interrupted = nullptr,
                ClockControl* clocks = nullptr, QuietPlaces* places = nullptr) {
    LocalPeer peer{nic};
    Bench bench{nic, peer, {}, patience, interrupted};
    bench.clocks = clocks;
    bench.places = places;
    RowFile rows{file, nic.kind(), nic.name()};
    return run_plan(plan, bench, "test", nic.environment(), rows);
  }
  std::vector<nlohmann::json> rows() const { return scratch.rows(); }

  MemoryNic nic;
  std::chrono::milliseconds patience{10'000};  ///< a loaded machine is slow
  Scratch scratch;
  std::string file = scratch.file();
};

}  // namespace qpcast::hw
