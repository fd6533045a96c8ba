#include "model/mechanisms/connection_cache.hpp"

#include <cmath>

#include "model/mechanisms/nic_engine.hpp"
#include "model/mechanisms/paced_nic.hpp"

namespace qpcast::connection_cache {

double onset(const Setup& setup, const ParameterValues& values) {
  const bool between_two = setup.role == Role::bidirectional || paced_nic::paces(setup);
  return values.get(between_two ? Param::conn_onset_bidirectional : Param::conn_onset);
}

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline) {
  if (paced_nic::paces(setup)) return;
  if (setup.role == Role::send || setup.role == Role::receive) return;
  const bool many_peers = setup.role == Role::all_to_all;
  const double excess = setup.active_qps / onset(setup, values);
  if (excess <= 1) return;
  const double exponent =
      values.get(many_peers ? Param::conn_decline_all_to_all : Param::conn_decline_bidirectional);
  const double stall = (std::pow(excess, exponent) - 1) * reference_visit / setup.writes_per_visit;
  pipeline.work(Resource::engine, nic_engine::service(setup, values) * stall);
}

}  // namespace qpcast::connection_cache
