#include "model/mechanisms/batching.hpp"

#include <algorithm>

namespace qpcast::batching {

void contribute(const Setup& setup, Pipeline& pipeline) {
  pipeline.batch = setup.batch;
  if (!setup.gpu_builds()) return;
  if (setup.publication == Publication::lock_per_wqe) pipeline.batch = 1;
  if (setup.warp_publishes()) pipeline.batch = std::max(lanes_per_warp, setup.batch);
}

}  // namespace qpcast::batching
