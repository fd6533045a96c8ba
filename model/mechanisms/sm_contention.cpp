#include "model/mechanisms/sm_contention.hpp"

#include <algorithm>

namespace qpcast::sm_contention {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!setup.gpu_builds()) return;
  const double per_sm = std::max(1.0, setup.streams() / setup.sms);
  auto& build = pipeline.station(Resource::submitter).per_message;
  build = build * (1 + values.get(Param::gpu_sm_contention) * (per_sm - 1));
}

}  // namespace qpcast::sm_contention
