#include "model/simgrid/streams.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qpcast::simgrid {

Itinerary::Itinerary(const Scene& scene, bool cyclic, std::uint32_t stream)
    : first_{stream % scene.connections},
      stride_{scene.streams},
      count_{std::max(1U, (scene.connections - first_ + stride_ - 1) / stride_)},
      visit_{scene.visit},
      cyclic_{cyclic} {}

std::uint32_t Itinerary::next(std::uint32_t messages, Random& random) {
  if (left_ == 0) {
    if (count_ > 1) at_ = cyclic_ ? (at_ + 1) % count_ : random.below(count_);
    left_ = std::max(visit_, messages);
  }
  left_ -= std::min(left_, messages);
  return first_ + at_ * stride_;
}

void GpuProbePath::submit(double now, bool idle) {
  const auto& scene = world_.scene;
  double turn = now;
  if (!idle && scene.setup.queue != Queue::private_queue) {
    if (scene.setup.completion != Completion::per_qp && last_acknowledged_ > now)
      turn = last_acknowledged_ + scene.complete;
    // The section itself is part of the probe's call; it waits for the sections before it.
    if (scene.section)
      turn = sections_.enter(0, turn, 1) - scene.section_fixed - scene.section_each;
  }
  world_.agenda.at(turn, EventKind::probe_doorbell, 0);
}

void GpuProbePath::doorbell(double now) {
  const bool own = world_.scene.setup.queue == Queue::private_queue;
  world_.probe->passed(own ? world_.nic.send_alone(now) : world_.nic.send(now, 1, 0, 0));
}

Streams::Streams(World& world, bool idle)
    : world_{world}, idle_{idle}, sections_{world.scene}, probe_{world, sections_} {
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

void Streams::begin(std::uint32_t s, double now) {
  auto& stream = streams_[s];
  if (stream.outstanding.blocked_for_ever()) return;
  stream.began = stream.outstanding.admit(now);
  const double build = world_.jittered(world_.scene.build);
  busy_ += build;
  world_.trace.span(Track::thread, s, "build", stream.began, stream.began + build,
                    world_.scene.batch);
  world_.agenda.at(stream.began + build, EventKind::built, s);
}

void Streams::built(std::uint32_t s, double now) {
  const auto& scene = world_.scene;
  if (!scene.section) return doorbell(s, now);
  const auto queue = s % scene.queues;
  const double end = sections_.enter(queue, now, scene.batch);
  world_.trace.span(Track::thread, s, "wait for its turn and publish", now, end, scene.batch);
  world_.agenda.at(end, EventKind::doorbell, s);
}

void Streams::doorbell(std::uint32_t s, double now) {
  auto& stream = streams_[s];
  const auto n = world_.scene.batch;
  const auto queue = s % world_.scene.queues;
  Nic::Passage passage{};
  // A doorbell may announce several short visits; within one, no message differs from another.
  for (auto left = n; left > 0;) {
    const auto piece = std::min(left, world_.scene.visit);
    passage = world_.nic.send(now, piece, queue, stream.itinerary.next(piece, world_.random));
    left -= piece;
  }
  probe_.note(queue, passage);
  world_.departed(passage, n);
  const double done = passage.acknowledged + world_.scene.complete;
  world_.record_latency(done - stream.began, n);
  stream.outstanding.add(done);
  begin(s, now);
}

void Streams::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::built:
      return built(event.index, event.time);
    case EventKind::doorbell:
      return doorbell(event.index, event.time);
    case EventKind::probe_doorbell:
      return probe_.doorbell(event.time);
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
