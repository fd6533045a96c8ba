#include "model/simgrid/workers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qpcast::simgrid {

namespace {
constexpr std::uint32_t probe_request = UINT32_MAX;
constexpr std::uint32_t generated = UINT32_MAX - 1;  ///< by the worker itself
constexpr std::uint32_t producers_per_cta = 32;
constexpr double idle_exit = 0.01;  // pickups that find the host in an idle state
}  // namespace

Workers::Workers(World& world, bool idle)
    : world_{world}, idle_{idle}, ring_capacity_{world.scene.ring} {
  const auto& scene = world.scene;
  const auto producers = idle || scene.generates ? 0 : scene.streams;
  producers_.resize(producers);
  ctas_.resize((producers + producers_per_cta - 1) / producers_per_cta);
  auto rings = scene.queues;
  // A ring that one background CTA shares with the probe alone exists only if each CTA has one.
  if (scene.setup.queue == Queue::shared_with_one)
    rings = std::max(rings, static_cast<std::uint32_t>(ctas_.size()));
  if (scene.setup.background_ctas <= 0) ctas_.resize(rings);
  rings_.resize(rings + 1);  // the last one is the probe's own
  workers_.resize(scene.workers);
  for (std::uint32_t r = 0; r < rings_.size(); ++r) {
    served_by_.push_back(r % scene.workers);
    workers_[served_by_.back()].rings.push_back(r);
  }
}

std::uint32_t Workers::group_of(std::uint32_t producer) const {
  const auto rings = static_cast<std::uint32_t>(rings_.size() - 1);
  return world_.scene.setup.background_ctas > 0 ? producer / producers_per_cta : producer % rings;
}

std::uint32_t Workers::probe_ring() const {
  const bool own = idle_ || world_.scene.setup.queue == Queue::private_queue;
  return own ? static_cast<std::uint32_t>(rings_.size() - 1) : 0;
}

void Workers::start() {
  for (std::uint32_t p = 0; p < producers_.size(); ++p)
    produce(p, world_.random.uniform() * world_.scene.build);
  if (world_.scene.generates && !idle_)
    for (std::uint32_t w = 0; w < workers_.size(); ++w) {
      workers_[w].idle = false;
      world_.agenda.at(world_.random.uniform(), EventKind::worker_ready, w);
    }
}

/// Starts a producer's next descriptor, or leaves it with those who wait.
void Workers::produce(std::uint32_t p, double now) {
  auto& producer = producers_[p];
  auto& cta = ctas_[group_of(p)];
  if (producer.outstanding + 1 > world_.scene.setup.window) {
    producer.blocked = true;
    return;
  }
  const auto most = std::min(world_.scene.cta_window, ring_capacity_);
  if (cta.queued >= most) {
    cta.blocked.push_back(p);
    return;
  }
  ++cta.queued;
  producer.outstanding += 1;
  producer.began = now;
  const double time = world_.jittered(world_.scene.build);
  produced_us_ += time;
  world_.trace.span(Track::thread, p, "hand off", now, now + time, 1);
  world_.agenda.at(now + time, EventKind::handed_off, p);
}

void Workers::handed_off(std::uint32_t p, double now) {
  enqueue(group_of(p) % static_cast<std::uint32_t>(rings_.size() - 1), {producers_[p].began, p},
          now);
  produce(p, now);
}

void Workers::enqueue(std::uint32_t ring, Request request, double now) {
  rings_[ring].push_back(request);
  auto& worker = workers_[served_by_[ring]];
  if (!worker.idle) return;
  worker.idle = false;
  double notice = world_.scene.pickup;
  if (world_.random.uniform() < idle_exit)
    notice += world_.scene.tail * (0.5 + world_.random.uniform());
  world_.agenda.at(now + notice, EventKind::worker_ready, served_by_[ring]);
}

void Workers::submit_probe(double now) { enqueue(probe_ring(), {now, probe_request}, now); }

/// Takes descriptors from the rings in turn while there is room for more.
void Workers::collect(Worker& worker, double now) {
  std::size_t empty = 0;
  while (empty < worker.rings.size() && worker.taken.size() < world_.scene.worker_window) {
    auto& ring = rings_[worker.rings[worker.next_ring]];
    worker.next_ring = (worker.next_ring + 1) % worker.rings.size();
    if (ring.empty()) {
      ++empty;
      continue;
    }
    empty = 0;
    const auto request = ring.front();
    ring.pop_front();
    worker.taken.push_back(request);
    if (request.producer == probe_request) continue;
    auto& cta = ctas_[group_of(request.producer)];
    --cta.queued;
    if (cta.blocked.empty()) continue;
    const auto next = cta.blocked.front();
    cta.blocked.pop_front();
    produce(next, now);
  }
}

/// A host that posts itself fills its batch, unless its window is full: then a completion wakes it.
void Workers::generate(Worker& worker, double now) const {
  const auto& setup = world_.scene.setup;
  const double share = setup.threads * setup.window / static_cast<double>(workers_.size());
  if (worker.outstanding > 0 && worker.outstanding + world_.scene.batch > share) return;
  while (worker.taken.size() < world_.scene.batch) worker.taken.push_back({now, generated});
}

void Workers::work(std::uint32_t w, double now) {
  auto& worker = workers_[w];
  const auto& scene = world_.scene;
  collect(worker, now);
  if (scene.generates && !idle_) generate(worker, now);
  const auto n =
      std::min<std::uint32_t>(scene.batch, static_cast<std::uint32_t>(worker.taken.size()));
  if (n == 0 || (world_.options.off.chains && n < scene.batch)) {
    worker.idle = true;
    return;
  }
  worker.posting = n;
  const double whole = world_.jittered(scene.post_fixed + scene.post_each * n);
  double end = now + whole;
  if (scene.serial > 0 && workers_.size() > 1) {
    const double serial = whole * scene.serial;
    lock_free_ = std::max(now, lock_free_) + serial;
    end = world_.options.off.lock ? std::max(now + whole, lock_free_) : lock_free_ + whole - serial;
    lock_busy_ += serial;
  }
  worker_busy_ += whole;
  world_.trace.span(Track::worker, w, "post", now, end, n);
  world_.agenda.at(end, EventKind::posted, w);
}

void Workers::posted(std::uint32_t w, double now) {
  auto& worker = workers_[w];
  const auto n = worker.posting;
  const auto passage = world_.nic.send(now, n, w, w % world_.scene.connections);
  bool bulk = false;
  for (std::uint32_t i = 0; i < n; ++i) {
    finish(worker.taken.front(), passage);
    bulk = bulk || worker.taken.front().producer != probe_request;
    worker.taken.pop_front();
  }
  if (bulk) world_.departed(passage, n);
  if (world_.scene.generates && !idle_ && world_.scene.setup.window < unlimited) {
    worker.outstanding += n;
    worker.chains.push_back(n);
    world_.agenda.at(passage.acknowledged + world_.scene.complete, EventKind::returned, w);
  }
  work(w, now);
}

void Workers::finish(const Request& request, const Nic::Passage& passage) {
  if (request.producer == probe_request) return world_.probe->passed(passage);
  const double done = passage.acknowledged + world_.scene.complete;
  world_.record_latency(done - request.began, 1);
  if (world_.scene.setup.window < unlimited && request.producer != generated)
    world_.agenda.at(done, EventKind::returned, request.producer);
}

/// A posting host's chain is complete; what it posts next waited for that, or goes on by itself.
void Workers::batch_returned(std::uint32_t w, double now) {
  auto& worker = workers_[w];
  worker.outstanding -= worker.chains.front();
  worker.chains.pop_front();
  if (!worker.idle) return;
  worker.idle = false;
  work(w, now);
}

void Workers::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::handed_off:
      return handed_off(event.index, event.time);
    case EventKind::worker_ready:
      return work(event.index, event.time);
    case EventKind::posted:
      return posted(event.index, event.time);
    case EventKind::returned: {
      if (world_.scene.generates) return batch_returned(event.index, event.time);
      auto& producer = producers_[event.index];
      producer.outstanding -= 1;
      if (!producer.blocked) return;
      producer.blocked = false;
      return produce(event.index, event.time);
    }
    default:
      return;
  }
}

std::string Workers::waiting() const {
  std::size_t for_room = 0, for_completion = 0;
  for (const auto& cta : ctas_) for_room += cta.blocked.size();
  for (const auto& p : producers_) for_completion += p.blocked ? 1 : 0;
  if (for_room + for_completion == 0) return {};
  return fmt::format(
      "rings: {} producers wait for room in a ring of {} descriptors and {} (window={:.0f}) for a "
      "completion, and no worker drains them",
      for_room, ring_capacity_, for_completion, world_.scene.setup.window);
}

}  // namespace qpcast::simgrid
