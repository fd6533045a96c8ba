/// Where both solvers apply: random layouts, both answers, and the name of what parts them.
#pragma once

#include <string>

#include "model/layout.hpp"
#include "model/setup.hpp"
#include "model/simgrid/random.hpp"

namespace qpcast::simgrid {

/// A random valid layout over the vocabulary's part that both solvers cover: submitter, threads,
/// queues, batch, payload, ordering, publication, window, workers, rings, host state, role and
/// connections. Drift is left out: the closed form takes it as a parameter.
inline Layout agreement_layout(Random& random) {
  const auto pick = [&](std::initializer_list<double> values) {
    return *(values.begin() + random.below(static_cast<std::uint32_t>(values.size())));
  };
  Layout l;
  l.set(Key::payload, pick({8, 8, 32, 256, 4096, 16384}));
  if (random.below(4) == 0) {
    l.set(Key::submitter, Submitter::proxy);
    l.set(Key::threads, pick({64, 256, 1024}));
    l.set(Key::workers, pick({1, 2, 4, 8}));
    l.set(Key::rings, pick({8, 16, 32}));
    l.set(Key::batch, pick({1, 4, 16}));
    l.set(Key::handoff, pick({0, 1}));
    l.set(Key::host_state, pick({0, 1, 2}));
    return l;
  }
  l.set(Key::submitter, Submitter::gpu);
  if (random.below(4) == 0) {
    l.set(Key::role, pick({0, 2, 3}));
    l.set(Key::active_qps, pick({64, 1024, 2048, 4096, 16384}));
    l.set(Key::writes_per_visit, pick({32, 64, 256}));
    return l;
  }
  const double qps = pick({1, 2, 8, 16, 64});
  const double per_queue = pick({1, 8, 32, 64, 256});
  l.set(Key::qps, qps);
  l.set(Key::threads, qps * per_queue);
  l.set(Key::sms, std::min(qps, qps * per_queue));
  l.set(Key::batch, pick({1, 4, 16, 32}));
  l.set(Key::ordering, pick({1, 2, 3}));
  l.set(Key::clock_mhz, pick({1200, 1970}));
  if (per_queue > 1) l.set(Key::publication, per_queue < 32 ? pick({1, 2}) : pick({1, 2, 3, 4}));
  if (random.below(4) == 0) l.set(Key::window, pick({1, 16, 64, 256}));
  return l;
}

/// What the simulation does that the closed form does not, for a layout on which they part.
inline std::string named_effect(const Setup& s, double streams_per_queue) {
  if (s.window < unlimited && s.window < 2 * s.batch)
    return "a thread flushes whole batches; the closed network lets each message return alone";
  if (s.window < unlimited)
    return "nearly constant service times queue less than the exponential ones of mean-value "
           "analysis";
  if (!s.gpu_builds() && s.workers > 1)
    return "workers block each other on the shared lock before it is saturated";
  if (s.gpu_builds() && s.publication != Publication::exclusive && streams_per_queue < 16)
    return "a thread builds, then waits its turn: build and section do not overlap";
  if (s.role == Role::bidirectional || s.role == Role::all_to_all)
    return "the cache's hit rate follows from the visits";
  return "";
}

}  // namespace qpcast::simgrid
