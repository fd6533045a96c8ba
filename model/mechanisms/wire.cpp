#include "model/mechanisms/wire.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::wire {

Bytes wire_bytes(const Setup& setup) {
  const double packets = std::max(1.0, std::ceil(setup.payload.count() / setup.facts->mtu));
  return setup.payload + Bytes{setup.facts->header * packets};
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  const auto line = Throughput::gb_per_s(values.get(Param::wire_line_rate));
  const auto time = wire_bytes(setup) / line;
  pipeline.work(Resource::wire, time);
  // The latency parameters were measured with 8 B messages: only what exceeds one is extra.
  const auto small = Bytes{8 + setup.facts->header} / line;
  if (time > small) pipeline.path("serialise payload", Phase::transit, time - small);
}

}  // namespace qpcast::wire
