#include "model/mechanisms/paced_nic.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::paced_nic {

bool paces(const Setup& setup) {
  return setup.facts->nic_kind == NicKind::paced && !setup.gpu_builds();
}

double miss_share(double excess) {
  if (excess <= 1) return 0;
  // Newton from above: m - 1 + exp(-excess m) is convex, so that it stays right of the root.
  double m = -std::expm1(-excess);
  for (double last = 2; last - m > 1e-12;) {
    last = m;
    m -= (m + std::expm1(-excess * m)) / (1 - excess * std::exp(-excess * m));
  }
  return std::max(m, 0.0);
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!paces(setup)) return;
  const auto interval = Rate::mmsg_per_s(values.get(Param::nic_ceiling)).interval();
  const double share = miss_share(setup.active_qps / values.get(Param::conn_onset_bidirectional));
  if (share == 0) return pipeline.work(Resource::engine, interval);
  const auto fetch = Duration::us(values.get(Param::conn_miss)) * share;
  pipeline.work(Resource::engine,
                interval + fetch / std::min(setup.writes_per_visit, longest_turn));
}

}  // namespace qpcast::paced_nic
