#include "model/mechanisms/inline_data.hpp"

#include <cmath>

#include "model/mechanisms/clock.hpp"
#include "model/mechanisms/wqe.hpp"

namespace qpcast::inline_data {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!setup.gpu_builds()) return;
  Duration extra;
  if (setup.inlined) {
    const double chunks =
        std::ceil((wqe::inline_header_bytes + setup.payload.count()) / wqe::segment_bytes);
    extra = Duration::us(values.get(Param::gpu_inline_chunk)) * (chunks - 1);
  } else {
    extra = Duration::us(setup.cost(values, Cost::pointer_issue));
    if (setup.facts->nic_kind == NicKind::hardware)  // a program's copy: software_nic.hpp
      pipeline.path("NIC reads payload", Phase::transit,
                    Duration::us(values.get(Param::nic_dma_read)));
  }
  const auto time = clock::gpu_time(extra, setup, values);
  pipeline.path("payload stores", Phase::issue, time);
  pipeline.work(Resource::submitter, time);
}

}  // namespace qpcast::inline_data
