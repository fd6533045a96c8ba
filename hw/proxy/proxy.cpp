#include "hw/proxy/proxy.hpp"

#include <fmt/format.h>

#include "hw/affinity.hpp"
#include "hw/proxy/backoff.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

/// Spins between two looks at the clock, the workers' health and the interrupt flag.
constexpr std::uint32_t spins_per_look = 256;

void check_shape(const ProxyOptions& options, std::size_t qps) {
  const auto wrong = [](const char* field, const std::string& advice) {
    throw InputError{"proxy", field, advice};
  };
  if (options.workers == 0 || qps < options.workers)
    wrong("workers",
          fmt::format("{} workers need a queue pair each; there are {}", options.workers, qps));
  if (options.rings < qps)
    wrong("rings", fmt::format("{} rings leave some of {} queue pairs idle", options.rings, qps));
  if (options.worker.batch == 0 || options.worker.batch > options.worker.depth)
    wrong("batch", fmt::format("{}: from 1 to the queue's depth of {}", options.worker.batch,
                               options.worker.depth));
}

}  // namespace

Proxy::Proxy(std::span<Channel* const> channels, const ProxyOptions& options)
    : options_{options}, queue_pairs_{channels.size()} {
  check_shape(options, channels.size());
  for (std::uint32_t r = 0; r < options.rings; ++r)
    rings_.push_back(std::make_unique<Ring>(options.ring_capacity, options.ring_memory));
  start(channels);
}

Proxy::~Proxy() {
  for (auto& seat : seats_) seat.thread.request_stop();
}

void Proxy::start(std::span<Channel* const> channels) {
  auto worker_options = options_.worker;
  if (options_.shared_refcount) worker_options.shared_refcount = &refcount_;
  seats_.resize(options_.workers);
  for (std::size_t t = 0; t < seats_.size(); ++t) {
    std::vector<Worker::Assignment> assignments;
    for (std::size_t q = t; q < channels.size(); q += seats_.size()) {
      Worker::Assignment assignment{channels[q], {}};
      for (std::size_t r = q; r < rings_.size(); r += channels.size())
        assignment.rings.push_back(rings_[r]->view());
      assignments.push_back(std::move(assignment));
    }
    seats_[t].worker = std::make_unique<Worker>(assignments, worker_options);
  }
  for (std::size_t t = 0; t < seats_.size(); ++t)
    seats_[t].thread = std::jthread{[this, t](const std::stop_token& stop) { serve(t, stop); }};
}

void Proxy::serve(std::size_t seat, const std::stop_token& stop) {
  try {
    if (!options_.cpus.empty() && pin_this_thread(options_.cpus[seat % options_.cpus.size()]))
      pinned_ = true;
    seats_[seat].worker->run(stop);
  } catch (...) {
    const std::scoped_lock lock{failure_lock_};
    if (!failure_) failure_ = std::current_exception();
    failed_ = true;
  }
}

void Proxy::check() const {
  if (options_.interrupted && options_.interrupted->load()) throw Interrupted{};
  if (!failed_) return;
  const std::scoped_lock lock{failure_lock_};
  std::rethrow_exception(failure_);
}

Proxy::Watch Proxy::look(std::size_t ring) const {
  const auto view = rings_[ring]->view();
  const auto& worker = *seats_[seat_of(ring)].worker;
  return {completed(view), std::atomic_ref{*view.consumed}.load(std::memory_order_relaxed),
          worker.heartbeat(), std::chrono::steady_clock::now()};
}

void Proxy::expect_progress(std::size_t ring, Watch& watch, const char* waiting_for) const {
  check();
  const auto now = look(ring);
  if (now.completed != watch.completed || now.consumed != watch.consumed) {
    watch = now;
  } else if (now.since - watch.since > options_.patience) {
    give_up(ring, waiting_for);
  }
}

void Proxy::give_up(std::size_t ring, const char* waiting_for) const {
  const auto& worker = *seats_[seat_of(ring)].worker;
  const auto before = worker.heartbeat();
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  check();
  throw TransportError{
      fmt::format("worker {}", seat_of(ring)),
      fmt::format("waiting for {} of ring {} for {} ms", waiting_for, ring,
                  options_.patience.count()),
      0,
      worker.heartbeat() == before
          ? std::string{"the worker has stalled; is its processor taken?"}
          : fmt::format("the worker runs, {} requests are outstanding and the NIC completes none; "
                        "did the peer die or the device go?",
                        worker.outstanding())};
}

void Proxy::wait(std::size_t ring, std::uint64_t count) {
  const auto view = rings_[ring]->view();
  auto watch = look(ring);
  Backoff backoff;
  for (std::uint32_t spin = 1; completed(view) < count; ++spin) {
    backoff.pause();
    if (spin % spins_per_look == 0) expect_progress(ring, watch, "completions");
  }
}

}  // namespace qpcast::hw
