/// Proxy submission, event by event.
///
/// Producers hand descriptors to rings; worker w serves the rings w, w + T, w + 2T, ... Each worker
/// takes descriptors from its rings in turn into a local queue of limited depth, and posts chains
/// of up to B from its head; the part of a post on shared state runs under one lock. Background
/// CTAs keep a window of descriptors in their ring, so a probe's descriptor waits behind those of
/// its ring, behind what its worker has taken in, or both: nothing here computes a wait.
#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "model/simgrid/world.hpp"

namespace qpcast::simgrid {

namespace {

enum Kind : std::uint8_t { slot_free, enqueue, posted, probe_pass };
constexpr std::uint32_t background = 0, probe = 1;
/// Descriptors an unloaded benchmark keeps in flight, per thread and at least in all: enough that
/// nothing downstream runs dry.
constexpr double per_thread = 64, at_least = 4096;

struct Descriptor {
  std::uint32_t source = background;
  double enqueued = 0;
};

struct Worker {
  std::vector<std::uint32_t> rings;
  std::size_t next = 0;             ///< ring to look at first
  std::deque<Descriptor> taken;     ///< local queue
  std::vector<Descriptor> posting;  ///< chain being posted
  bool busy = false;
};

class ProxyWorld : public World {
 public:
  ProxyWorld(const Setup& setup, const ParameterValues& values, const Pipeline& pipeline,
             std::uint64_t seed)
      : World{pipeline, seed}, setup_{setup}, pipeline_{pipeline} {
    post_ = pipeline.station(Resource::worker).per_batch.us();
    each_ = pipeline.station(Resource::worker).per_message.us();
    const double whole = (pipeline.service(Resource::worker)).us();
    serial_ = whole > 0 ? pipeline.service(Resource::lock).us() / whole : 0;
    handoff_ = pipeline.service(Resource::submitter).us();
    pickup_ = (pipeline.total(Phase::transit)).us() - post_ - each_;
    depth_ = setup.background_ctas > 0 ? values.get(Param::backlog_worker_window)
                                       : std::max(64.0, 4 * pipeline.batch);
    create(values);
  }

  double circulating() const override { return window_; }

  std::string waiting() const override {
    std::size_t queued = 0;
    for (const auto& r : rings_) queued += r.size();
    return fmt::format("{} descriptors in {} rings, {} workers, none of them runs", queued,
                       rings_.size(), workers_.size());
  }

 private:
  void create(const ParameterValues& values) {
    const auto workers = static_cast<std::size_t>(setup_.workers);
    const bool loaded = setup_.background_ctas > 0;
    const bool own_ring = loaded && setup_.queue == Queue::private_queue;
    const auto bulk = static_cast<std::size_t>(std::max(setup_.rings, setup_.workers));
    rings_.resize(bulk + (own_ring ? 1 : 0));
    probe_ring_ = own_ring ? static_cast<std::uint32_t>(bulk) : 0;
    workers_.resize(workers);
    producers_.assign(static_cast<std::size_t>(setup_.threads), 0);
    for (std::size_t r = 0; r < rings_.size(); ++r)
      workers_[r % workers].rings.push_back(static_cast<std::uint32_t>(r));
    window_ = loaded ? setup_.background_ctas * values.get(Param::backlog_window)
                     : std::max(at_least, setup_.threads * per_thread);
    // The bulk producers' windows, spread over the bulk rings.
    for (std::size_t k = 0; k < static_cast<std::size_t>(std::max(1.0, std::round(window_))); ++k)
      hand_off(static_cast<std::uint32_t>(k % bulk));
    if (loaded) calendar_.schedule(0, probe_pass, 0);
  }

  std::uint32_t worker_of(std::uint32_t ring) const {
    return ring % static_cast<std::uint32_t>(workers_.size());
  }

  /// A producer thread, the next in turn, hands one descriptor to the ring when it is free.
  void hand_off(std::uint32_t ring) {
    auto& free_at = producers_[next_producer_++ % producers_.size()];
    free_at = std::max(free_at, now_) + handoff_;
    calendar_.schedule(free_at, enqueue, ring);
  }

  void arrive(std::uint32_t ring, Descriptor d) {
    rings_[ring].push_back(d);
    work(worker_of(ring));
  }

  /// Fills the local queue from the rings in turn, then posts a chain.
  void work(std::uint32_t w) {
    auto& worker = workers_[w];
    take(worker);
    if (worker.busy || worker.taken.empty()) return;
    worker.busy = true;
    const auto chain = std::min(worker.taken.size(), static_cast<std::size_t>(pipeline_.batch));
    for (std::size_t k = 0; k < chain; ++k) {
      worker.posting.push_back(worker.taken.front());
      worker.taken.pop_front();
    }
    const double time = post_ + each_ * static_cast<double>(chain);
    // The serial part waits for the lock; the rest needs only this worker.
    const double locked = std::max(lock_free_, now_) + serial_ * time;
    if (serial_ > 0) lock_free_ = locked;
    const double done = serial_ > 0 ? locked + (1 - serial_) * time : now_ + time;
    calendar_.schedule(done, posted, w);
  }

  void take(Worker& worker) {
    std::size_t empty = 0;
    while (static_cast<double>(worker.taken.size()) < depth_ && empty < worker.rings.size()) {
      auto& ring = rings_[worker.rings[worker.next]];
      worker.next = (worker.next + 1) % worker.rings.size();
      if (ring.empty()) {
        ++empty;
        continue;
      }
      empty = 0;
      worker.taken.push_back(ring.front());
      ring.pop_front();
    }
  }

  void post(std::uint32_t w) {
    auto& worker = workers_[w];
    const double done = nic_.submit(now_, static_cast<double>(worker.posting.size()));
    for (const auto& d : worker.posting) {
      if (d.source == probe) {
        calendar_.schedule(now_ + std::max(0.0, pickup_) + nic_.load_delay(now_) +
                               pipeline_.total(Phase::receive).us(),
                           probe_pass, 0);
        continue;
      }
      latency_.add(done - d.enqueued);
      ++completed_;
      calendar_.schedule(done, slot_free, next_bulk_ring());
    }
    worker.posting.clear();
    worker.busy = false;
    work(w);
  }

  std::uint32_t next_bulk_ring() {
    const auto bulk = static_cast<std::uint32_t>(rings_.size()) - (probe_ring_ > 0 ? 1 : 0);
    return static_cast<std::uint32_t>(round_robin_++ % bulk);
  }

  void start_pass() {
    if (passes_++ % 2 == 0) turn_trip();
    // `enqueue` with detail marks the probe's descriptor.
    calendar_.schedule(now_ + pipeline_.total(Phase::issue).us(), enqueue, probe_ring_, probe);
  }

  void handle(const Event& e) override {
    switch (e.kind) {
      case slot_free:
        hand_off(e.agent);
        break;
      case enqueue:
        arrive(e.agent, {e.detail, now_});
        break;
      case posted:
        post(e.agent);
        break;
      case probe_pass:
        start_pass();
        break;
      default:
        break;
    }
  }

  Setup setup_;
  Pipeline pipeline_;
  double window_ = 0;  ///< descriptors of bulk producers in flight
  double post_ = 0, each_ = 0, serial_ = 0, handoff_ = 0, pickup_ = 0, depth_ = 64, lock_free_ = 0;
  std::vector<std::deque<Descriptor>> rings_;
  std::vector<Worker> workers_;
  std::vector<double> producers_;  ///< when each thread is free
  std::uint32_t probe_ring_ = 0;
  std::uint64_t passes_ = 0, round_robin_ = 0, next_producer_ = 0;
};

}  // namespace

std::unique_ptr<World> proxy_world(const Setup& setup, const ParameterValues& values,
                                   std::uint64_t seed) {
  return std::make_unique<ProxyWorld>(setup, values, build_pipeline(setup, values), seed);
}

}  // namespace qpcast::simgrid
