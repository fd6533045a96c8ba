/// One simulation: the scene's traffic (and its probe) on one NIC, until the stopping rule holds.
#pragma once

#include <array>
#include <type_traits>

#include "model/simgrid/histogram.hpp"
#include "model/simgrid/options.hpp"
#include "model/simgrid/scene.hpp"

namespace qpcast::simgrid {

/// What a simulation found. Trivially copyable: it crosses a pipe.
struct SimulationResult {
  double rate = 0;             ///< messages per us
  double half_width = 0;       ///< relative, of the rate's 95 % interval
  bool converged = false;      ///< half_width was reached before the budget was spent
  std::uint64_t messages = 0;  ///< simulated, warm-up included
  double simulated_us = 0;
  std::uint64_t events = 0;
  std::uint64_t misses = 0;  ///< connection contexts that were absent
  double run_length = 0;     ///< WQEs per exclusive section
  std::array<double, resource_count> utilisation{};
  double issue = 0, doorbell_to_cqe = 0, put_completion = 0;  ///< of the probe's messages, us
  Histogram latency;  ///< of the bulk messages: start of the call to completion noticed, us
  Histogram probe;    ///< round trips, us
};
static_assert(std::is_trivially_copyable_v<SimulationResult>);

enum class Scenario : std::uint8_t {
  traffic,  ///< the layout's traffic, and a probe if it names background traffic
  lone,     ///< a probe that has the machine to itself
};

/// Runs in this process, under SimGrid, which has one engine per process: call it once, from a
/// process made for it (`run_in_process`).
/// @throws InputError when nothing can progress, saying who waits for what
SimulationResult simulate(const Scene& scene, const SimulationOptions& options, Scenario scenario);

}  // namespace qpcast::simgrid
