#include "model/simgrid/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qpcast::simgrid {

Itinerary::Itinerary(const Scene& scene, bool cyclic, std::uint32_t stream)
    : connections_{scene.cache_matters ? scene.connections : 1},
      stream_{stream % connections_},
      stride_{scene.streams},
      count_{std::max(1U, (connections_ - stream_ + stride_ - 1) / stride_)},
      visit_{scene.visit},
      cyclic_{cyclic} {}

std::uint32_t Itinerary::next(std::uint32_t messages, Random& random) {
  arrived_ = left_ == 0;
  if (arrived_) {
    if (cyclic_)
      turn_ = (turn_ + 1) % count_;
    else if (connections_ > 1)
      at_ = random.below(connections_);
    left_ = std::max(visit_, messages);
  }
  left_ -= std::min(left_, messages);
  return cyclic_ ? stream_ + turn_ * stride_ : at_;
}

void enter_probe(World& world, Sections& sections, double now) {
  const bool shares = world.scene.section && world.scene.setup.queue != Queue::private_queue;
  world.agenda.at(shares ? sections.enter(0, now, 1) : now, EventKind::probe_doorbell, 0);
}

void probe_doorbell(World& world, double now) {
  const bool own = world.scene.setup.queue == Queue::private_queue;
  world.probe->passed(own ? world.nic.send_alone(now) : world.nic.send(now, 1, 0, 0));
}

std::optional<std::uint32_t> Reservations::next(std::uint32_t queue) {
  auto& q = queues_[queue];
  if (q.slots.empty() || !q.slots.front().built) return std::nullopt;
  const auto who = q.slots.front().who;
  q.slots.pop_front();
  ++q.left;
  return who;
}

Streams::Streams(World& world, bool idle)
    : world_{world},
      idle_{idle},
      in_order_{world.scene.section && world.scene.setup.publication != Publication::lock_per_wqe},
      crowded_{std::ceil(double(world.scene.streams) / world.scene.queues) * world.scene.credit >
               world.scene.send_queue},
      sections_{world.scene},
      reservations_{world.scene.queues},
      room_{world.scene.queues, world.scene.send_queue} {
  const auto& scene = world.scene;
  if (idle) return;
  streams_.reserve(scene.streams);
  for (std::uint32_t s = 0; s < scene.streams; ++s)
    streams_.push_back(
        {Outstanding{scene.credit, scene.batch}, Itinerary{scene, world.options.cyclic_visits, s}});
}

void Streams::start() {
  for (std::uint32_t s = 0; s < streams_.size(); ++s)
    begin(s, world_.random.uniform() * world_.scene.build);
}

/// Starts the next batch when the stream's credit allows it.
void Streams::begin(std::uint32_t s, double now) {
  auto& stream = streams_[s];
  if (stream.outstanding.blocked_for_ever()) return;
  const double when = stream.outstanding.admit(now);
  const bool in_turn = in_order_ || crowded_;
  if (in_turn && when > now) return world_.agenda.at(when, EventKind::admitted, s);
  build(s, when);
}

void Streams::build(std::uint32_t s, double now) {
  const auto& scene = world_.scene;
  streams_[s].began = now;
  if (!crowded_ || room_.take(s % scene.queues, s, scene.batch)) start_build(s, now);
}

/// A batch of the queue pair is complete: its slots go to whoever waits for them.
void Streams::freed(std::uint32_t queue, double now) {
  room_.give(queue, world_.scene.batch);
  while (const auto s = room_.next(queue)) start_build(*s, now);
}

void Streams::start_build(std::uint32_t s, double now) {
  const auto queue = s % world_.scene.queues;
  if (in_order_) streams_[s].ticket = reservations_.reserve(queue, s);
  if (queue == 0) flush_.reserved();
  const double time = world_.jittered(world_.scene.build);
  busy_ += time;
  world_.trace.span(Track::thread, s, "build", now, now + time, world_.scene.batch);
  world_.agenda.at(now + time, EventKind::built, s);
}

void Streams::built(std::uint32_t s, double now) {
  const auto& scene = world_.scene;
  const auto ticket = streams_[s].ticket;
  if (world_.options.off.turns) build_ahead(s, now);
  if (!scene.section) return doorbell(s, now);
  const auto queue = s % scene.queues;
  if (in_order_) {
    reservations_.built(queue, ticket);
    return publish(queue, now);
  }
  const double end = sections_.enter(queue, now, scene.batch);
  world_.trace.span(Track::thread, s, "wait for the lock and publish", now, end, scene.batch);
  world_.agenda.at(end, EventKind::doorbell, s);
}

/// Sections of all slots at the head that are built, one after the other.
void Streams::publish(std::uint32_t queue, double now) {
  const auto& scene = world_.scene;
  while (const auto who = reservations_.next(queue)) {
    const auto n = *who == the_probe ? 1 : scene.batch;
    const double end = sections_.enter(queue, now, n);
    world_.trace.span(Track::queue, queue, "publish",
                      end - scene.section_fixed - scene.section_each * n, end, n);
    if (*who == the_probe)
      world_.agenda.at(end, EventKind::probe_doorbell, 0);
    else
      world_.agenda.at(end, EventKind::doorbell, *who);
  }
}

bool Streams::probe_shares() const {
  return !idle_ && world_.scene.setup.queue != Queue::private_queue;
}

std::optional<double> Streams::admit_probe(double now) {
  const bool whole_context = world_.scene.setup.completion != Completion::per_qp;
  if (!probe_shares() || !whole_context) return now;
  return flush_.begin(now);
}

void Streams::reserve_probe(double) {
  if (in_order_ && probe_shares()) probe_ticket_ = reservations_.reserve(0, the_probe);
}

void Streams::submit_probe(double now) {
  if (in_order_ && probe_shares()) {
    reservations_.built(0, probe_ticket_);
    return publish(0, now);
  }
  if (probe_shares()) return enter_probe(world_, sections_, now);
  world_.agenda.at(now, EventKind::probe_doorbell, 0);
}

void Streams::doorbell(std::uint32_t s, double now) {
  auto& stream = streams_[s];
  const auto n = world_.scene.batch;
  const auto queue = s % world_.scene.queues;
  Nic::Passage passage{};
  // A doorbell may announce several short visits; within one, no message differs from another.
  for (auto left = n; left > 0;) {
    const auto piece = std::min(left, world_.scene.visit);
    const auto connection = stream.itinerary.next(piece, world_.random);
    const bool kept = world_.options.off.eviction && !stream.itinerary.arrived();
    passage = world_.nic.send(now, piece, queue, kept ? Engine::present : connection);
    left -= piece;
  }
  world_.departed(passage, n);
  const double done = passage.acknowledged + world_.scene.complete;
  world_.record_latency(done - stream.began, n);
  if (queue == 0)
    if (const auto flushed = flush_.rang(done))
      world_.agenda.at(*flushed, EventKind::probe_admitted, 0);
  stream.outstanding.add(done);
  if (crowded_) world_.agenda.at(done, EventKind::flushed, queue);
  if (!world_.options.off.turns) return begin(s, now);
  --stream.ahead;
  if (!stream.held) return;
  stream.held = false;
  begin(s, now);
}

/// Without turns: the next batch at once, double-buffered.
void Streams::build_ahead(std::uint32_t s, double now) {
  constexpr std::uint32_t buffers = 2;
  auto& stream = streams_[s];
  stream.held = ++stream.ahead >= buffers;
  if (!stream.held) begin(s, now);
}

void Streams::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::admitted:
      return build(event.index, event.time);
    case EventKind::flushed:
      return freed(event.index, event.time);
    case EventKind::built:
      return built(event.index, event.time);
    case EventKind::doorbell:
      return doorbell(event.index, event.time);
    case EventKind::probe_doorbell:
      return probe_doorbell(world_, event.time);
    default:
      return;
  }
}

std::string Streams::waiting() const {
  const auto& scene = world_.scene;
  if (streams_.empty() || !streams_.front().outstanding.blocked_for_ever()) return {};
  return fmt::format(
      "batch: each of {} threads waits for {} free slots, but its queue pair holds {:.0f} and "
      "nobody drains it before the doorbell; a batch of at most that many would go on",
      streams_.size(), scene.batch, scene.credit);
}

}  // namespace qpcast::simgrid
