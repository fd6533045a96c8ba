/// The discrete-event solver: the Pipeline of the analytic solver, executed.
///
/// Where the analytic solver states an outcome (drift, the wait behind a backlog), this one plays
/// the rules it comes from: in-order publication, windows, rings, workers, FIFO service. Both read
/// the same Setup, parameters and Pipeline, so they check each other.
///
/// Time belongs to a SimGrid engine: the PE is a SimGrid actor that plays its world's events in
/// slices and sleeps from one to the next. SimGrid keeps one engine per process, so every
/// simulation runs in a child process and its result comes back over a pipe; the caller's process
/// never starts an engine. Same seed, same result, bit for bit.
#pragma once

#include <cstdint>
#include <vector>

#include "model/analytic/analytic.hpp"
#include "model/library.hpp"
#include "model/platform.hpp"
#include "model/prediction.hpp"

namespace qpcast {

/// When a simulation ends. Warm-up, counted in messages, is at least three times what circulates
/// (threads x batch, or the backlog); the rate is averaged over intervals of at least that size.
struct SimulationOptions {
  std::uint64_t seed = 1;
  /// Stop when the 95 % confidence half-width of the mean rate is below this fraction (and the
  /// probe, if there is one, made 32 round trips) ...
  double half_width = 0.01;
  /// ... or when this many messages were carried (at least 40 intervals), whichever is first.
  double messages = 1e6;
  double warm_up = 1;  ///< multiplies the shortest warm-up, messages / 32
};

class SimgridSolver {
 public:
  explicit SimgridSolver(const Platform& platform);

  /// Rate, mean latency with quantiles, and the probe's round trips when background runs.
  /// Intervals are the simulation's own confidence, not the parameters'.
  /// @throws InputError for contradictions, and for a simulation that cannot progress, saying who
  ///         waits for what
  Prediction predict(const Layout& layout, const LibraryPreset* preset,
                     const SimulationOptions& options = {});

  /// One row's question. Rates and loaded round trips are simulated; path sums of lone operations
  /// are the same in both solvers and are not answered here.
  Answer answer(const Question& question, const SimulationOptions& options = {});

 private:
  PlatformFacts facts_;
  ParameterValues values_;
  bool emulated_ = false;
};

}  // namespace qpcast
