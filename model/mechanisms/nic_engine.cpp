#include "model/mechanisms/nic_engine.hpp"

#include <algorithm>

#include "model/mechanisms/software_nic.hpp"

namespace qpcast::nic_engine {

Duration service(const Setup& setup, const ParameterValues& values) {
  if (setup.facts->nic_kind != NicKind::hardware) return software_nic::service(setup, values);
  const auto one_way = Rate::mmsg_per_s(values.get(Param::nic_ceiling)).interval();
  const bool both = setup.role == Role::bidirectional || setup.role == Role::all_to_all;
  return both ? one_way * std::max(1.0, values.get(Param::nic_duplex_penalty)) : one_way;
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (setup.facts->nic_kind != NicKind::hardware) return;
  pipeline.work(Resource::engine, service(setup, values));
  pipeline.load_delay = Duration::us(values.get(Param::nic_load_delay));
}

}  // namespace qpcast::nic_engine
