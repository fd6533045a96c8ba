/// One process per simulation: SimGrid has one engine per process, and its clock cannot go back.
/// The child returns its result, or the text of its error, over a pipe and leaves by _exit. It
/// inherits the scene by fork, takes no lock of the parent's, and starts no threads.
#pragma once

#include <functional>

#include "model/simgrid/simulation.hpp"

namespace qpcast::simgrid {

/// Runs `body` in a child. @throws InputError as the child did; std::system_error when no process
/// can be made; std::runtime_error when the child died, with its signal
SimulationResult run_in_process(const std::function<SimulationResult()>& body);

}  // namespace qpcast::simgrid
