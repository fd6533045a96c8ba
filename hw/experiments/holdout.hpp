/// Hold-out layouts: drawn at random over what the device and its submitters can do, none of them
/// among those that calibration saw. Counts and sizes are log-uniform. Same seed, same layouts.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "hw/experiments/plan.hpp"

namespace qpcast::hw {

struct Holdout {
  std::uint64_t seed = 1;
  std::size_t layouts = 60;
  std::set<std::string> seen;  ///< as Layout::to_string prints them
};

/// Adds `layouts` points to the plan. What a machine cannot run meaningfully is not drawn: no GPU
/// submitter without a GPU, no more polling threads than processors, no probe beside bulk traffic
/// where there is a GPU, since a CPU would play it.
/// @throws InputError when the vocabulary has too few unseen layouts left
void add_holdout(const Holdout& holdout, const Scope& scope, Plan& plan);

}  // namespace qpcast::hw
