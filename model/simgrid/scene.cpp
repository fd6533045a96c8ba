#include "model/simgrid/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/error.hpp"
#include "model/mechanisms/connection_cache.hpp"
#include "model/mechanisms/proxy.hpp"

namespace qpcast::simgrid {

namespace {

std::uint32_t count(double value) {
  return static_cast<std::uint32_t>(std::clamp(std::round(value), 1.0, 4e9));
}

double per_message(const Pipeline& p, Resource r) { return p.station(r).per_message.us(); }

double path_time(const Pipeline& p, std::string_view name) {
  double total = 0;
  for (const auto& term : p.terms())
    if (name == term.name) total += term.time.us();
  return total;
}

/// The engine's work without connection misses and DC switches, then what each adds.
void take_engine_apart(const Setup& setup, const ParameterValues& values, Scene& s) {
  auto few = setup;
  few.active_qps = 1;
  auto fewer = few;
  fewer.pes = 2;
  const double whole = per_message(build_pipeline(setup, values), Resource::engine);
  const double no_miss = per_message(build_pipeline(few, values), Resource::engine);
  s.engine = per_message(build_pipeline(fewer, values), Resource::engine);
  s.visit = count(setup.writes_per_visit);
  s.dc_switch = (no_miss - s.engine) * s.visit;
  s.connections = count(std::max(setup.active_qps, setup.qps));
  s.cache_capacity = count(connection_cache::onset(setup, values));
  s.cache_matters = whole > no_miss && s.connections > 1;
  if (!s.cache_matters) return;
  // The law gives the mean stall of a random visit; of visits to N connections 1 - capacity / N
  // miss, whatever the replacement (the cache holds `capacity` of N equally likely ones).
  s.cache_capacity = std::min(s.cache_capacity, s.connections - 1);
  const double absent = s.connections - s.cache_capacity;
  s.miss = (whole - no_miss) * s.visit * s.connections / absent;
}

/// The submitter's work without any exclusive section: the closed form lets a cooperating warp
/// hold its section and a synchronised one wait for all 32 of its lanes; here they happen.
Station builder(const Setup& setup, const Pipeline& p) {
  const double held = setup.warp_publishes()                                ? 1
                      : setup.publication == Publication::warp_synchronised ? lanes_per_warp
                                                                            : 0;
  auto station = p.station(Resource::submitter);
  const auto& section = p.station(Resource::queue);
  station.per_message = std::max(Duration{}, station.per_message - section.per_message * held);
  station.per_batch = std::max(Duration{}, station.per_batch - section.per_batch * held);
  return station;
}

/// Streams that build twice what the NIC carries: more of them cost time and change nothing.
std::uint32_t saturating_streams(const Pipeline& p, const Scene& s) {
  constexpr double fewest = 512, ample = 2;
  const double carried =
      std::max(per_message(p, Resource::engine), per_message(p, Resource::wire)) * s.batch;
  return count(std::max(fewest, std::ceil(ample * s.build / carried)));
}

void take_gpu(const Setup& setup, const Pipeline& p, Scene& s) {
  const auto submitter = builder(setup, p);
  const auto& queue = p.station(Resource::queue);
  s.queues = count(s.setup.qps);
  s.section = queue.per_message.us() + queue.per_batch.us() > 0;
  s.section_fixed = queue.per_batch.us();
  s.section_each = queue.per_message.us();
  s.build_fixed = submitter.per_batch.us();
  s.build_each = submitter.per_message.us();
  s.build = s.build_fixed + s.build_each * s.batch;
  s.build = std::max(s.build, 1e-6);
  s.streams = count(std::ceil(submitter.servers));
  if (s.setup.saturating) s.streams = std::min(s.streams, saturating_streams(p, s));
}

void take_proxy(const Pipeline& p, const ParameterValues& values, Scene& s) {
  const auto& worker = p.station(Resource::worker);
  s.generates = s.setup.submitter == Submitter::host;
  s.streams = count(s.setup.threads);
  s.queues = count(s.setup.rings);
  s.workers = count(s.setup.workers);
  s.build = per_message(p, Resource::submitter);
  s.post_fixed = worker.per_batch.us();
  s.post_each = worker.per_message.us();
  const double work = s.post_fixed + s.post_each;
  const auto& lock = p.station(Resource::lock);
  s.serial = work > 0 ? (lock.per_batch.us() + lock.per_message.us()) / work : 0;
  s.pickup = path_time(p, "worker picks up");
  s.doorbell_to_nic = s.pickup + path_time(p, "worker posts");
  s.cta_window = count(values.get(Param::backlog_window));
  s.worker_window = std::max(s.batch, count(values.get(Param::backlog_worker_window)));
  s.tail = p.tail.us();
}

/// Lanes that hand slots on publish up to a batch at once; others wait for room, and the simulation
/// says so when it never comes.
void check_room(const Scene& s) {
  const bool lanes = s.setup.publication == Publication::warp_drifting ||
                     s.setup.publication == Publication::warp_synchronised;
  if (!s.gpu || !lanes || s.batch <= s.send_queue) return;
  throw InputError{"simulation", "batch",
                   fmt::format("a section announces up to {} WQEs, but the queue pair holds {}; "
                               "nobody drains it before the doorbell",
                               s.batch, s.send_queue)};
}

}  // namespace

Scene make_scene(const Setup& setup, const ParameterValues& values,
                 const SimulationOptions& options) {
  Scene s;
  s.setup = setup;
  auto together = setup;  // lanes kept together: drift is for the simulation to produce
  if (setup.publication == Publication::warp_drifting)
    together.publication = Publication::warp_synchronised;
  const auto p = build_pipeline(together, values);
  s.gpu = setup.gpu_builds();
  s.batch = count(p.batch);
  s.send_queue = setup.queue_depth > 0 ? count(setup.queue_depth) : options.send_queue;
  s.ring = setup.queue_depth > 0 ? count(setup.queue_depth) : options.ring;
  s.coherence = std::min(1.0, setup.cost(values, Cost::clock_share));
  check_room(s);
  if (s.gpu)
    take_gpu(together, p, s);
  else
    take_proxy(p, values, s);
  const double lanes = setup.warp_publishes() ? std::min(lanes_per_warp, setup.threads) : 1;
  s.credit = setup.window * lanes;
  // Threads that are enough to saturate the NIC have slots to do so, unless the layout counts them.
  if (setup.saturating && setup.queue_depth == 0)
    s.send_queue = std::max(s.send_queue, 2 * s.batch * ((s.streams + s.queues - 1) / s.queues));
  if (std::isinf(s.credit) && s.gpu)
    s.credit = std::max(2.0 * s.batch,
                        std::floor(static_cast<double>(s.send_queue) * s.queues / s.streams));
  if (s.gpu) s.credit = std::min(s.credit, static_cast<double>(s.send_queue));
  take_engine_apart(together, values, s);
  s.wire = per_message(p, Resource::wire);
  s.load_delay = p.load_delay.us();
  s.issue = p.total(Phase::issue).us();
  s.transit = p.total(Phase::transit).us();
  s.acknowledge = p.total(Phase::acknowledge).us();
  s.complete = p.total(Phase::complete).us();
  s.receive = p.total(Phase::receive).us();
  return s;
}

}  // namespace qpcast::simgrid
