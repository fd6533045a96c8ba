/// Scene: the pipeline of a setup, taken apart into what the simulation executes. Times in us.
///
/// Three closed-form effects are taken out of the pipeline because the simulation produces them:
/// connection misses (a real cache; the law gives only the mean cost of a visit, from which the
/// cost of one miss follows), DC destination switches, and the drift of lanes.
#pragma once

#include <cstdint>

#include "model/pipeline.hpp"
#include "model/setup.hpp"
#include "model/simgrid/options.hpp"

namespace qpcast::simgrid {

struct Scene {
  Setup setup;

  // who submits
  bool gpu = true;            ///< GPU threads write WQEs; else CPU workers post
  bool generates = false;     ///< the workers make the requests themselves (submitter=host)
  std::uint32_t streams = 1;  ///< GPU threads or warps, or proxy producers
  std::uint32_t queues = 1;   ///< queue pairs, or rings
  std::uint32_t workers = 1;
  std::uint32_t batch = 1;       ///< WQEs per doorbell, or most requests per post
  std::uint32_t send_queue = 1;  ///< WQEs a queue pair holds
  std::uint32_t ring = 1;        ///< descriptors a proxy ring holds
  double credit = 0;             ///< messages a stream may have outstanding; may be infinite
  double build = 0;              ///< a stream's time per batch outside the section (or handoff)
  double build_fixed = 0, build_each = 0;  ///< the same per batch and per message
  bool section = false;                    ///< publication is exclusive per queue
  double section_fixed = 0, section_each = 0;
  double coherence = 1;  ///< share of a lane's time during which its warp runs nothing else

  // proxy
  double pickup = 0, post_fixed = 0, post_each = 0, serial = 0;  ///< serial: share under the lock
  std::uint32_t cta_window = 1;                                  ///< descriptors a CTA keeps queued
  std::uint32_t worker_window = 1;  ///< requests a worker has taken from its rings
  double tail = 0;

  // NIC, per message
  double engine = 0, wire = 0;
  std::uint32_t connections = 1;
  std::uint32_t cache_capacity = 1;
  bool cache_matters = false;
  double miss = 0;          ///< engine stall of a visit whose context is absent
  double dc_switch = 0;     ///< engine stall of a change of DC target
  std::uint32_t visit = 1;  ///< messages in a row on one connection
  double load_delay = 0;

  // latencies of a lone message
  double issue = 0, transit = 0, acknowledge = 0, complete = 0, receive = 0;
  double doorbell_to_nic = 0;  ///< part of `transit` that other code executes (worker's post)
};

/// @throws InputError when a queue cannot hold what the layout puts into it at once
Scene make_scene(const Setup& setup, const ParameterValues& values,
                 const SimulationOptions& options);

}  // namespace qpcast::simgrid
