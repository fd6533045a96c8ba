/// What tests share: a platform at prior values and a generator of random valid layouts.
#pragma once

#include <random>

#include "model/layout.hpp"
#include "model/platform.hpp"

namespace qpcast::testing {

/// A platform that nothing was calibrated on: every parameter at its prior.
inline Platform prior_platform() {
  Platform p;
  p.name = "priors";
  p.facts.reference = true;
  return p;
}

/// A random layout that `Layout::check` accepts.
inline Layout random_layout(std::mt19937_64& generator) {
  const auto pick = [&](std::initializer_list<double> values) {
    std::uniform_int_distribution<std::size_t> index{0, values.size() - 1};
    return *(values.begin() + index(generator));
  };
  Layout l;
  const double qps = pick({1, 2, 8, 16, 64});
  l.set(Key::payload, pick({1, 8, 32, 256, 4096, 65536}));
  if (pick({0, 1}) == 0) {
    l.set(Key::submitter, Submitter::gpu);
    l.set(Key::qps, qps);
    l.set(Key::threads, qps * pick({1, 32, 256}));
    l.set(Key::batch, pick({1, 4, 16, 32}));
    l.set(Key::ordering, pick({0, 1, 2, 3}));
    l.set(Key::transport, pick({0, 1}));
    l.set(Key::completion, pick({0, 1, 2}));
    l.set(Key::clock_mhz, pick({700, 1200, 1970}));
    if (pick({0, 1}) == 0) l.set(Key::window, pick({1, 16}));
  } else {
    l.set(Key::submitter, Submitter::proxy);
    l.set(Key::threads, pick({1, 64, 1024}));
    l.set(Key::workers, pick({1, 2, 4, 8}));
    l.set(Key::rings, pick({1, 8, 32}));
    l.set(Key::batch, pick({1, 4, 16}));
    l.set(Key::handoff, pick({0, 1}));
    l.set(Key::host_state, pick({0, 1, 2}));
  }
  return l;
}

}  // namespace qpcast::testing
