#include "model/mechanisms/wqe.hpp"

#include <cmath>

#include "model/mechanisms/clock.hpp"

namespace qpcast::wqe {

double segments(const Setup& setup) {
  const double fixed = setup.transport == Transport::dc ? 3 : 2;  // control, [address], remote
  const double data =
      setup.inlined ? std::ceil((inline_header_bytes + setup.payload.count()) / segment_bytes) : 1;
  return fixed + data;
}

double blocks(const Setup& setup) {
  return std::ceil(segments(setup) * segment_bytes / block_bytes);
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (!setup.gpu_builds()) return;
  const auto build = clock::gpu_time(Duration::us(values.get(Param::gpu_wqe_build)), setup, values);
  pipeline.path("build WQE", Phase::issue, build);
  if (setup.warp_publishes()) {
    const auto warp = Duration::us(values.get(Param::gpu_warp_build));
    pipeline.work(Resource::submitter, {}, clock::gpu_time(warp, setup, values));
  } else {
    pipeline.work(Resource::submitter, build);
  }
  if (setup.facts->nic_kind != NicKind::hardware) return;  // mechanisms/software_nic.hpp
  pipeline.scale(Resource::engine, 1 + values.get(Param::nic_block) * (blocks(setup) - 1));
}

}  // namespace qpcast::wqe
