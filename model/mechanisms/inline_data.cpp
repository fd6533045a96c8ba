#include "model/mechanisms/inline_data.hpp"

#include <cmath>

#include "model/mechanisms/clock.hpp"
#include "model/mechanisms/wqe.hpp"

namespace qpcast::inline_data {

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!setup.gpu_builds()) return;
  Duration extra, stream;
  if (setup.inlined) {
    const double chunks =
        std::ceil((wqe::inline_header_bytes + setup.payload.count()) / wqe::segment_bytes);
    extra = Duration::us(values.get(Param::gpu_inline_chunk)) * (chunks - 1);
    stream = Duration::us(values.get(Param::gpu_inline_stream)) * (chunks - 1);
  } else {
    extra = stream = Duration::us(setup.cost(values, Cost::pointer_issue));
    if (setup.facts->nic_kind == NicKind::hardware)  // a program's copy: software_nic.hpp
      pipeline.path("NIC reads payload", Phase::transit,
                    Duration::us(values.get(Param::nic_dma_read)));
  }
  pipeline.path("payload stores", Phase::issue, clock::gpu_time(extra, setup, values));
  pipeline.work(Resource::submitter, clock::gpu_time(stream, setup, values));
}

}  // namespace qpcast::inline_data
