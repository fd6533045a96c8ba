#include "hw/proxy/worker.hpp"

#include <algorithm>

#include "hw/proxy/backoff.hpp"

namespace qpcast::hw {

Worker::Worker(const std::vector<Assignment>& assignments, const WorkerOptions& options)
    : options_{options}, taken_(options.batch), completions_(64) {
  for (const auto& assignment : assignments) {
    Lane lane{.channel = assignment.channel, .rings = {}, .chains = {}};
    for (const auto& ring : assignment.rings) lane.rings.emplace_back(ring);
    lanes_.push_back(std::move(lane));
  }
}

void Worker::run(const std::stop_token& stop) {
  for (Backoff backoff; !stop.stop_requested();) {
    bool progressed = false;
    for (auto& lane : lanes_) {
      progressed |= reap(lane);
      for (std::size_t ring = 0; ring < lane.rings.size(); ++ring)
        progressed |= forward(lane, ring);
    }
    heartbeat_.fetch_add(1, std::memory_order_relaxed);
    if (progressed) {
      backoff.reset();
    } else {
      backoff.pause();
    }
  }
}

bool Worker::reap(Lane& lane) {
  if (lane.outstanding == 0) return false;
  const auto got = lane.channel->poll(completions_);
  if (got == 0) return false;
  const auto last = completions_[got - 1].id;
  while (!lane.chains.empty() && lane.chains.front().id <= last) {
    const auto& chain = lane.chains.front();
    lane.rings[chain.ring].complete(chain.count);
    lane.outstanding -= chain.count;
    outstanding_.fetch_sub(chain.count, std::memory_order_relaxed);
    lane.chains.pop_front();
  }
  return true;
}

bool Worker::forward(Lane& lane, std::size_t ring) {
  const auto room = options_.depth - lane.outstanding;
  const auto most = std::min(options_.batch, room);
  auto& consumer = lane.rings[ring];
  const auto count = static_cast<std::uint32_t>(consumer.pop(std::span{taken_}.first(most)));
  if (count == 0) return false;
  chain_.clear();
  for (std::uint32_t i = 0; i < count; ++i) chain_.push_back(translate(taken_[i]));
  lane.outstanding += count;
  lane.unsignalled += count;
  outstanding_.fetch_add(count, std::memory_order_relaxed);
  auto& last = chain_.back();
  last.id = lane.next_id++;
  last.signalled = lane.outstanding + options_.batch > options_.depth ||
                   lane.unsignalled * 4 >= options_.depth || !consumer.waiting();
  if (last.signalled) lane.unsignalled = 0;
  lane.chains.push_back({ring, count, last.id});
  lane.channel->post(chain_);
  return true;
}

WorkRequest Worker::translate(const Request& request) const {
  if (options_.shared_refcount) {
    options_.shared_refcount->fetch_add(1, std::memory_order_acq_rel);
    options_.shared_refcount->fetch_sub(1, std::memory_order_acq_rel);
  }
  WorkRequest work;
  work.operation = request.kind == RequestKind::fetch_add ? Operation::fetch_add : Operation::write;
  work.length = request.length;
  work.inline_data = request.kind == RequestKind::write && request.length <= options_.inline_up_to;
  work.local = request.local;
  work.remote = request.remote;
  return work;
}

}  // namespace qpcast::hw
