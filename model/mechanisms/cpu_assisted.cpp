#include "model/mechanisms/cpu_assisted.hpp"

namespace qpcast::cpu_assisted {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (setup.submitter != Submitter::cpu_assisted) return;
  pipeline.path("host forwards doorbell", Phase::transit,
                Duration::us(values.get(Param::assist_delay)));
}

}  // namespace qpcast::cpu_assisted
