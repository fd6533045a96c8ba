/// The host's operating state as a precondition that is brought about and then measured.
#pragma once

#include <atomic>
#include <chrono>

#include "model/layout.hpp"

namespace qpcast::hw {

/// Loads every processor for `warm` or leaves the machine alone for `cold`.
/// @return the clock of processor `cpu` (-1: the thread's) right afterwards, MHz. @throws
/// Interrupted
double reach_host_state(HostState state, std::chrono::milliseconds warm,
                        std::chrono::milliseconds cold, int cpu,
                        const std::atomic<bool>* interrupted);

}  // namespace qpcast::hw
