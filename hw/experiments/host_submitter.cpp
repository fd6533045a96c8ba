#include "hw/experiments/host_submitter.hpp"

#include <fmt/format.h>

#include "hw/proxy/backoff.hpp"
#include "hw/proxy/proxy.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {
/// Polls between two looks at the clock and the interrupt flag.
constexpr std::uint32_t polls_per_look = 256;
}  // namespace

HostSubmitter::HostSubmitter(std::span<Channel* const> channels, const HostOptions& options)
    : options_{options}, completions_(64) {
  if (options.batch == 0 || options.batch > options.depth)
    throw InputError{"host submitter", "batch",
                     fmt::format("{}: from 1 to the depth {}", options.batch, options.depth)};
  for (auto* channel : channels)
    lanes_.push_back({.channel = channel, .pending = {}, .chains = {}});
}

void HostSubmitter::submit(std::size_t queue, const Request& request) {
  auto& lane = lanes_[queue];
  if (lane.submitted - lane.completed >= options_.depth) {
    flush(queue);
    wait(queue, lane.submitted - options_.depth + options_.batch);
  }
  WorkRequest work;
  work.length = request.length;
  work.local = request.local;
  work.remote = request.remote;
  work.inline_data = request.length <= options_.inline_up_to;
  lane.pending.push_back(work);
  ++lane.submitted;
  if (lane.pending.size() == options_.batch) flush(queue);
}

void HostSubmitter::flush(std::size_t queue) {
  auto& lane = lanes_[queue];
  if (lane.pending.empty()) return;
  auto& last = lane.pending.back();
  last.signalled = true;
  last.id = lane.next_id++;
  lane.chains.push_back({last.id, lane.pending.size()});
  lane.channel->post(lane.pending);
  lane.pending.clear();
}

void HostSubmitter::reap(Lane& lane) {
  const auto got = lane.channel->poll(completions_);
  if (got == 0) return;
  const auto last = completions_[got - 1].id;
  while (!lane.chains.empty() && lane.chains.front().id <= last) {
    lane.completed += lane.chains.front().count;
    lane.chains.pop_front();
  }
}

std::uint64_t HostSubmitter::completed(std::size_t queue) {
  auto& lane = lanes_[queue];
  if (!lane.chains.empty()) reap(lane);
  return lane.completed;
}

void HostSubmitter::wait(std::size_t queue, std::uint64_t count) {
  if (options_.visit_all)
    for (auto& lane : lanes_) reap(lane);
  std::uint64_t seen = 0;
  Backoff backoff;
  auto since = std::chrono::steady_clock::now();
  for (std::uint32_t poll = 1;; ++poll) {
    const auto now = completed(queue);
    if (now >= count) return;
    if (now != seen) {
      seen = now;
      since = std::chrono::steady_clock::now();
      backoff.reset();
    }
    backoff.pause();
    if (poll % polls_per_look != 0) continue;
    check();
    if (std::chrono::steady_clock::now() - since > options_.patience)
      throw TransportError{
          fmt::format("queue pair {}", queue),
          fmt::format("waiting for completions for {} ms", options_.patience.count()), 0,
          fmt::format("{} of {} requests are finished; did the peer die or the device go?", seen,
                      count)};
  }
}

void HostSubmitter::check() {
  if (options_.interrupted && options_.interrupted->load()) throw Interrupted{};
}

}  // namespace qpcast::hw
