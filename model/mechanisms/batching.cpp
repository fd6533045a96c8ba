#include "model/mechanisms/batching.hpp"

namespace qpcast::batching {

void contribute(const Setup& setup, Pipeline& pipeline) {
  const bool one_at_a_time = setup.gpu_builds() && setup.publication == Publication::lock_per_wqe;
  pipeline.batch = one_at_a_time ? 1 : setup.batch;
}

}  // namespace qpcast::batching
