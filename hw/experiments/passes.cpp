#include "hw/experiments/passes.hpp"

#include <fmt/format.h>

#include <random>

#include "hw/experiments/local_peer.hpp"
#include "hw/proxy/backoff.hpp"

namespace qpcast::hw {

namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Requests of one queue, so that waiting for "mine" is a count.
class Flow {
 public:
  Flow(RequestSubmitter& submitter, std::size_t index)
      : submitter_{&submitter}, index_{index}, done_{submitter.completed(index)}, sent_{done_} {}
  void submit(const Request& request) {
    submitter_->submit(index_, request);
    ++sent_;
  }
  void flush() { submitter_->flush(index_); }
  void drain() {
    flush();
    submitter_->wait(index_, sent_);
    done_ = sent_;
  }
  std::uint64_t in_flight() {
    done_ = submitter_->completed(index_);
    return sent_ - done_;
  }

 private:
  RequestSubmitter* submitter_;
  std::size_t index_;
  std::uint64_t done_, sent_;
};

std::vector<Flow> queues_of(RequestSubmitter& submitter) {
  std::vector<Flow> queues;
  for (std::size_t q = 0; q < submitter.queues(); ++q) queues.emplace_back(submitter, q);
  return queues;
}

}  // namespace

std::uint64_t prepare_payload(Link& link) {
  const std::uint64_t seed = std::random_device{}();
  fill_pattern(link.region().bytes().subspan(payload_start, link.payload_bytes()), seed);
  link.peer().clear();
  return seed;
}

void validate_payload(Link& link, std::uint64_t seed, std::uint64_t requests) {
  if (!link.bench().nic.writes_payload()) return;
  if (const auto wrong = link.peer().check(seed, link.shape(requests)))
    throw TransportError{
        link.bench().nic.name(), "payload", 0,
        fmt::format("byte {} is wrong at the peer after {} writes", *wrong, requests)};
}

Latencies latency_pass(Link& link, const PassBudget& budget) {
  constexpr std::uint64_t burst = 8;  // below every queue's depth, so that issue never waits
  const auto seed = prepare_payload(link);
  Latencies result;
  Flow queue{link.submitter(), 0};
  std::uint64_t next = 0;
  const auto end = Clock::now() + budget.time;
  while (Clock::now() < end && result.completion.size() < budget.samples) {
    auto start = Clock::now();
    queue.submit(link.slot(next++));
    queue.drain();
    result.completion.push_back(us_since(start));
    start = Clock::now();
    for (std::uint64_t i = 0; i < burst; ++i) queue.submit(link.slot(next++));
    queue.flush();
    result.issue.push_back(us_since(start) / static_cast<double>(burst));
    queue.drain();
  }
  validate_payload(link, seed, next);
  return result;
}

double rate_pass(Link& link, const PassBudget& budget, std::uint64_t visit) {
  const auto seed = prepare_payload(link);
  auto queues = queues_of(link.submitter());
  const auto share = std::max<std::uint64_t>(1, link.window() / queues.size());
  const auto start = Clock::now();
  std::uint64_t next = 0;
  // Refilling by halves of the window leaves the submission path alone in between.
  const auto chunk = std::min(share, link.submitter().granularity());
  const auto least = std::max(chunk, share / 2);
  Backoff backoff{Backoff::Kind::patient};
  for (std::uint32_t round = 0;; ++round) {
    bool moved = false;
    for (auto& queue : queues) {
      const auto room = share - std::min(share, queue.in_flight());
      if (room < least) continue;
      for (auto i = std::min(room - room % chunk, visit); i > 0; --i)
        queue.submit(link.slot(next++));
      queue.flush();
      moved = true;
    }
    if (moved) {
      backoff.reset();
    } else {
      backoff.pause();
    }
    if (round % 16 != 0) continue;
    link.submitter().check();
    if (Clock::now() - start > budget.time) break;
  }
  for (auto& queue : queues) queue.drain();
  const double rate = static_cast<double>(next) / us_since(start);
  validate_payload(link, seed, next);
  return rate;
}

namespace {

void await_answer(Link& link, std::uint64_t ping) {
  const auto start = Clock::now();
  Backoff backoff;
  for (std::uint32_t spin = 1; load_word(link.region(), ping_target) != ping; ++spin) {
    backoff.pause();
    if (spin % 256 != 0) continue;
    link.submitter().check();
    if (Clock::now() - start > link.bench().patience)
      throw TransportError{link.bench().nic.name(), "round trip", 0,
                           fmt::format("ping {} was not answered; did the peer die?", ping)};
  }
}

class Echo {
 public:
  explicit Echo(Peer& peer) : peer_{peer} { peer.start_echo(); }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;
  void stop() {
    running_ = false;
    peer_.stop_echo();
  }
  ~Echo() {
    if (!running_) return;
    try {
      peer_.stop_echo();
    } catch (const std::exception&) {
      // An earlier error is on its way.
    }
  }

 private:
  Peer& peer_;
  bool running_ = true;
};

}  // namespace

RoundTrips round_trip_pass(Link& link, const PassBudget& budget, const Load& load) {
  const auto seed = prepare_payload(link);
  store_word(link.region(), ping_target, 0);
  Echo echo{link.peer()};
  Flow bulk{link.submitter(), load.bulk_queue};
  Flow own{link.submitter(), load.probe_queue};
  auto& probe = load.probe_queue == load.bulk_queue ? bulk : own;
  RoundTrips result;
  std::uint64_t sent = 0;
  const auto start = Clock::now();
  for (std::uint64_t ping = 1; result.times.size() < budget.samples; ++ping) {
    if (result.times.size() > 1 && Clock::now() - start > budget.time) break;
    for (auto queued = bulk.in_flight(); queued < load.backlog; ++queued)
      bulk.submit(link.slot(sent++));
    const auto sent_at = Clock::now();
    store_word(link.region(), ping_source, ping);
    probe.submit({ping_source, ping_target, sizeof ping, 0, RequestKind::write});
    probe.flush();
    await_answer(link, ping);
    result.times.push_back(us_since(sent_at));
  }
  bulk.drain();
  own.drain();
  result.carried_rate = static_cast<double>(sent) / us_since(start);
  echo.stop();
  validate_payload(link, seed, sent);
  return result;
}

}  // namespace qpcast::hw
