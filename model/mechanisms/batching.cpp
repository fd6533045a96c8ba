#include "model/mechanisms/batching.hpp"

#include <algorithm>

namespace qpcast::batching {

void contribute(const Setup& setup, Pipeline& pipeline) {
  constexpr double lanes = 32;
  pipeline.batch = setup.batch;
  if (!setup.gpu_builds()) return;
  if (setup.publication == Publication::lock_per_wqe) pipeline.batch = 1;
  if (setup.warp_publishes()) pipeline.batch = std::max(lanes, setup.batch);
}

}  // namespace qpcast::batching
