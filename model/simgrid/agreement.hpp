/// Where both solvers apply: random layouts, both answers, and what parts them.
///
/// A disagreement is explained by experiment: the simulation runs again with one of its effects
/// switched off (or, for the one assumption that only the closed form makes, with that assumption
/// put in), and the first change that brings the two together names the cause.
#pragma once

#include <array>
#include <initializer_list>

#include "model/layout.hpp"
#include "model/simgrid/options.hpp"
#include "model/simgrid/random.hpp"

namespace qpcast::simgrid {

/// Layouts further apart than this need an explanation.
inline constexpr double disagreement = 0.15;

struct Effect {
  const char* name;
  void (*remove)(SimulationOptions&, Layout&);
};

inline const std::array effects{
    Effect{"a thread builds and then waits its turn: build and section do not overlap",
           [](SimulationOptions& o, Layout&) { o.off.turns = true; }},
    Effect{"a queue pair of 1,024 slots has none left while its threads still build",
           [](SimulationOptions& o, Layout&) { o.send_queue = 1U << 20U; }},
    Effect{"contexts are evicted between the doorbells of one visit",
           [](SimulationOptions& o, Layout&) { o.off.eviction = true; }},
    Effect{"workers wait for shared state before it is saturated",
           [](SimulationOptions& o, Layout&) { o.off.lock = true; }},
    Effect{"workers without a ring of their own stand idle",
           [](SimulationOptions&, Layout& l) { l.set(Key::rings, l.number(Key::workers, 1)); }},
    Effect{"chains are shorter than the batch",
           [](SimulationOptions& o, Layout&) { o.off.chains = true; }},
    Effect{"nearly constant service queues less than the closed network's exponential one",
           [](SimulationOptions& o, Layout&) { o.lane_jitter = 1; }},
};

/// A random valid layout over the vocabulary's part that both solvers cover: submitter, threads,
/// queues, batch, payload, ordering, publication, window, workers, rings, host state, transport,
/// role and connections. Drift is left out: the closed form takes it as a parameter.
inline Layout agreement_layout(Random& random) {
  const auto pick = [&](std::initializer_list<double> values) {
    return *(values.begin() + random.below(static_cast<std::uint32_t>(values.size())));
  };
  Layout l;
  l.set(Key::payload, pick({8, 8, 32, 256, 4096, 16384}));
  if (random.below(4) == 0) {
    l.set(Key::submitter, Submitter::proxy);
    l.set(Key::threads, pick({1, 64, 256, 1024}));
    l.set(Key::workers, pick({1, 2, 4, 8}));
    l.set(Key::rings, pick({1, 8, 16, 32}));
    l.set(Key::batch, pick({1, 4, 16}));
    l.set(Key::handoff, pick({0, 1}));
    l.set(Key::host_state, pick({0, 1, 2}));
    return l;
  }
  l.set(Key::submitter, Submitter::gpu);
  l.set(Key::transport, pick({0, 0, 0, 1}));
  if (random.below(4) == 0) {
    l.set(Key::role, pick({0, 2, 3}));
    l.set(Key::active_qps, pick({64, 1024, 2048, 4096, 16384}));
    l.set(Key::writes_per_visit, pick({32, 64, 256}));
    l.set(Key::pes, pick({2, 8}));
    return l;
  }
  const double qps = pick({1, 2, 8, 16, 64});
  const double per_queue = pick({1, 8, 32, 64, 256});
  l.set(Key::qps, qps);
  l.set(Key::threads, qps * per_queue);
  l.set(Key::sms, qps);
  l.set(Key::batch, pick({1, 4, 16, 32}));
  l.set(Key::ordering, pick({1, 2, 3}));
  l.set(Key::clock_mhz, pick({700, 1200, 1970}));
  if (per_queue > 1) l.set(Key::publication, per_queue < 32 ? pick({1, 2}) : pick({1, 2, 3, 4}));
  if (random.below(4) == 0) l.set(Key::window, pick({1, 16, 64, 256}));
  return l;
}

}  // namespace qpcast::simgrid
