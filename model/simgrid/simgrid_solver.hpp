/// The discrete-event solver: the pipeline of a layout, executed under SimGrid.
///
/// Needs Debian's libsimgrid-dev. Every simulation runs in a process of its own. The interval of a
/// rate is the simulation's 95 % confidence interval, that of a latency its sampled 5-95 % range:
/// both say what the simulation varies, not what the platform's parameters leave open (the
/// analytic solver does).
#pragma once

#include "model/analytic/analytic.hpp"
#include "model/simgrid/options.hpp"
#include "model/simgrid/simulation.hpp"

namespace qpcast {

class SimgridSolver {
 public:
  /// @throws InputError for unknown parameters, or options outside their ranges
  SimgridSolver(const Platform& platform, const SimulationOptions& options);

  /// @throws InputError for contradictions, and when the layout cannot make progress
  Prediction predict(const Layout& layout, const LibraryPreset* preset);
  /// One metric, value, ratio or delta; the reason where the simulation has none.
  Answer answer(const Question& question);
  /// The simulation behind a prediction.
  simgrid::SimulationResult simulate(const Proposal& proposal, simgrid::Scenario scenario);

 private:
  simgrid::SimulationResult run(const Setup& setup, simgrid::Scenario scenario);
  Estimate estimate(Metric metric, const Setup& setup);
  double payload_knee(const Setup& setup);
  double onset(Setup setup);

  PlatformFacts facts_;
  ParameterValues values_;
  SimulationOptions options_;
  bool emulated_;
};

}  // namespace qpcast
