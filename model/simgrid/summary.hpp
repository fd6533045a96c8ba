/// A histogram as a prediction reports it.
#pragma once

#include "model/prediction.hpp"
#include "model/simgrid/histogram.hpp"

namespace qpcast::simgrid {

inline SimulatedLatency summary(const Histogram& h) {
  SimulatedLatency s;
  s.count = h.count();
  s.mean = h.mean();
  s.p50 = h.quantile(0.5);
  s.p99 = h.quantile(0.99);
  s.p999 = h.quantile(0.999);
  for (std::size_t i = 0; i < Histogram::buckets; ++i)
    if (h.in_bucket(i) > 0) s.histogram.push_back({Histogram::centre(i), h.in_bucket(i)});
  return s;
}

}  // namespace qpcast::simgrid
