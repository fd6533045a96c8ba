#include "model/simgrid/issuer.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::simgrid {

Issuer::Issuer(const Scene& scene, const SimulationOptions& options, std::vector<QueueLoad> queues,
               std::uint64_t seed)
    : scene_{scene}, jitter_{options.lane_jitter}, random_{seed}, queues_{std::move(queues)} {
  const auto count = static_cast<std::uint32_t>(queues_.size());
  const auto submitters = scene.gpu ? scene.streams : scene.workers;
  streams_.resize(scene.section ? submitters : std::min(submitters, count));
  if (scene.section) section_free_.resize(count);
  const auto deepest = std::max_element(
      queues_.begin(), queues_.end(),
      [](const QueueLoad& a, const QueueLoad& b) { return a.messages < b.messages; });
  const bool deep = count > 0 && deepest->messages > scene.send_queue;
  if (deep || scene.setup.window < unlimited) {
    const double share = std::max(1.0, std::floor(double(count) / double(streams_.size())));
    const double window = scene.setup.window < unlimited ? scene.credit : share * scene.send_queue;
    credit_ = static_cast<std::uint32_t>(std::max(1.0, std::floor(window / scene.batch)));
  }
  for (std::uint32_t s = 0; s < streams_.size() && count > 0; ++s) {
    streams_[s].queue = s % count;
    streams_[s].in_visit = scene.visit;
    begin(s, 0);
  }
}

double Issuer::jittered(double us) {
  return jitter_ > 0 ? us * (1 + jitter_ * (random_.exponential() - 1)) : us;
}

/// Moves the stream to its next queue pair that has messages left. False when there is none.
bool Issuer::find_work(std::uint32_t s) {
  auto& stream = streams_[s];
  const auto count = static_cast<std::uint32_t>(queues_.size());
  const auto streams = static_cast<std::uint32_t>(streams_.size());
  if (stream.in_visit > 0 && queues_[stream.queue].messages > 0) return true;
  if (streams >= count) {  // one queue pair, shared
    stream.in_visit = scene_.visit;
    return queues_[stream.queue].messages > 0;
  }
  const auto own = (count - s + streams - 1) / streams;
  for (std::uint32_t i = 0; i < own; ++i) {
    stream.queue = stream.queue + streams < count ? stream.queue + streams : s;
    if (queues_[stream.queue].messages == 0) continue;
    stream.in_visit = scene_.visit;
    return true;
  }
  return false;
}

void Issuer::begin(std::uint32_t s, double now) {
  auto& stream = streams_[s];
  stream.waits = stream.outstanding >= credit_;
  if (stream.waits || !find_work(s)) return;
  ++stream.outstanding;
  auto& queue = queues_[stream.queue];
  stream.messages = std::min({queue.messages, scene_.batch, stream.in_visit});
  queue.messages -= stream.messages;
  stream.in_visit -= stream.messages;
  stream.began = now;
  const double build = scene_.gpu ? scene_.build_fixed + scene_.build_each * stream.messages
                                  : scene_.post_fixed + scene_.post_each * stream.messages;
  agenda_.at(stream.began + jittered(build),
             scene_.section ? EventKind::built : EventKind::doorbell, s);
}

void Issuer::enter_section(std::uint32_t s, double now) {
  const auto& stream = streams_[s];
  auto& free = section_free_[stream.queue];
  free = std::max(free, now) + scene_.section_fixed + scene_.section_each * stream.messages;
  agenda_.at(free, EventKind::doorbell, s);
}

bool Issuer::more() {
  while (!agenda_.empty() && agenda_.next().kind != EventKind::doorbell) {
    const auto event = agenda_.take();
    if (event.kind == EventKind::built) {
      enter_section(event.index, event.time);
      continue;
    }
    --streams_[event.index].outstanding;
    if (streams_[event.index].waits) begin(event.index, event.time);
  }
  return !agenda_.empty();
}

Doorbell Issuer::take() {
  const auto event = agenda_.take();
  const auto& s = streams_[event.index];
  finished_ = event.time;
  const Doorbell d{event.time, s.began, event.index, s.queue, queues_[s.queue].target, s.messages};
  begin(event.index, event.time);
  return d;
}

void Issuer::completed(const Doorbell& doorbell, double done) {
  if (credit_ != unlimited_credit) agenda_.at(done, EventKind::flushed, doorbell.stream);
}

}  // namespace qpcast::simgrid
