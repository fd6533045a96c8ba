/// Synthetic measurements of a platform whose truth is known, to test that calibration finds it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/measurement.hpp"
#include "model/platform.hpp"

namespace qpcast::calibrate {

/// A platform drawn from the priors: every parameter that `rows` of the battery read.
/// Draws are log-normal around the prior, clamped to the table's bounds. Same seed, same platform.
Platform draw_truth(std::uint64_t seed);

/// The layouts that a full measurement plan visits: single operations, orderings, inline sweep,
/// batching, publication, queues, proxies and connections, on platform "truth".
std::vector<Measurement> battery();

/// The battery measured on `truth` by the analytic solver, each value multiplied by log-normal
/// noise of relative size `noise`.
std::vector<Measurement> measure(const Platform& truth, double noise, std::uint64_t seed);

}  // namespace qpcast::calibrate
