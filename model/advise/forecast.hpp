/// Point forecasts of layouts, and bounds over boxes of them, without intervals.
///
/// A bound is the forecast of a pipeline that no layout of the box has: every station at the
/// shortest service and the most servers, every phase at its shortest, the largest population. It
/// is what a box can at most reach because each of those is monotone in every count (queue pairs,
/// batch, threads, SMs, workers, contexts), so that its extreme is at a corner of the box, and
/// because rate and latency are monotone in each of those. What is not monotone is the change of
/// protocol where threads outnumber queue pairs: corners are built with either protocol where the
/// box has both. Tested on random boxes in advise_test.cpp.
#pragma once

#include "model/advise/space.hpp"
#include "model/analytic/metrics.hpp"

namespace qpcast::advise {

struct Forecast {
  double rate = 0;     ///< Mmsg/s; carried by the bulk traffic where a probe runs beside it
  double goodput = 0;  ///< GB/s
  double latency = 0;  ///< us: put_completion, or the loaded probe's round trip
};

/// The metric behind a goal for layouts with (`loaded`) or without bulk traffic beside a probe.
Metric metric_of(Goal goal, bool loaded);
/// The goal as a number of which more is better; a latency's is its inverse.
double score(Goal goal, const Forecast& forecast);

/// A box of the space: every point with lo <= index <= hi on each axis.
struct Box {
  Point lo{}, hi{};
  std::uint64_t points(std::size_t axes) const;
};

/// Scratch space included: one per thread.
class Forecaster {
 public:
  Forecaster(const Platform& platform, const LibraryPreset& preset)
      : facts_{platform.facts}, values_{platform}, preset_{preset} {}

  Forecast at(const Layout& layout);
  /// At least the rate and goodput, and at most the latency, of every point of the box.
  Forecast bound(const Space& space, const Box& box);

  ParameterValues& values() { return values_; }

 private:
  PlatformFacts facts_;
  ParameterValues values_;
  const LibraryPreset& preset_;
  std::vector<Setup> corners_;
};

}  // namespace qpcast::advise
