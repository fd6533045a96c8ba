/// GPU submission, event by event.
///
/// A submitter is a thread, or a warp when a warp publishes together. Its life: (wait for window)
/// - reserve a slot - build a batch - wait for its turn - exclusive section - the doorbell
/// reaches the NIC - repeat. Threads with a queue pair of their own have no section.
///
/// Lanes. Under warp-synchronised and warp-drifting publication the 32 lanes of a warp share its
/// execution: lanes that become ready within `reconvergence` of each other build together in one
/// build time, others queue for the warp. Synchronised lanes wait for the whole warp after each
/// put, so they stay one group. Drifting lanes leave the in-order publication one after the
/// other, become ready apart, and build in small groups: the loss is an outcome, nothing here reads
/// the analytic drift parameter.
#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "model/mechanisms/clock.hpp"
#include "model/simgrid/queue_pair.hpp"
#include "model/simgrid/world.hpp"

namespace qpcast::simgrid {

namespace {

enum Kind : std::uint8_t { group_starts, built, section_done, completion, probe_pass };

constexpr std::size_t lanes_per_warp = 32;
/// Lanes whose readiness is this close run as one group, us: some hundred cycles, about what a
/// poll of the turn takes. Stated, not fitted.
constexpr double reconvergence = 0.25;

struct Submitter {
  std::uint32_t queue = 0;
  std::uint64_t ticket = 0;
  double outstanding = 0;
  double started = 0;    ///< when the batch in hand was begun
  bool waiting = false;  ///< for window
};

/// A warp whose lanes are submitters of their own.
struct Warp {
  std::deque<std::pair<double, std::uint32_t>> ready;  ///< lane and when it became ready
  double free_at = 0;
  bool scheduled = false;
  std::size_t at_barrier = 0;
};

class GpuWorld : public World {
 public:
  GpuWorld(const Setup& setup, const ParameterValues& values, const Pipeline& pipeline,
           std::uint64_t seed)
      : World{pipeline, seed}, setup_{setup}, pipeline_{pipeline} {
    shared_ = setup.publication != Publication::exclusive;
    lanes_ = setup.publication == Publication::warp_synchronised ||
             setup.publication == Publication::warp_drifting;
    // Lanes publish every put in order; only the doorbell is batched, and shared out over the puts.
    batch_ = lanes_ ? 1 : pipeline.batch;
    window_ = setup.window * (setup.warp_publishes() ? lanes_per_warp : 1);
    const double per_doorbell = lanes_ ? 1 / pipeline.batch : 1;
    const auto& submitter = pipeline.station(Resource::submitter);
    const auto& queue = pipeline.station(Resource::queue);
    const double drift = setup.publication == Publication::warp_drifting
                             ? std::max(1.0, setup.cost(values, Cost::drift))
                             : 1.0;
    section_ = (queue.per_message * batch_ + queue.per_batch * per_doorbell).us() / drift;
    build_ = (submitter.per_message * batch_ + submitter.per_batch * per_doorbell).us();
    // The pipeline counts all sections of a synchronised warp as a lane's time; here they pass.
    if (setup.publication == Publication::warp_synchronised) build_ -= section_ * lanes_per_warp;
    if (setup.warp_publishes()) build_ -= section_;  // the pipeline counts it as the warp's time
    complete_ = pipeline.total(Phase::complete).us();
    create(static_cast<std::size_t>(std::llround(submitter.servers)));
    if (setup.background_ctas > 0) create_probe();
  }

  double circulating() const override {
    const double each = std::isinf(window_) ? batch_ : window_;
    return each * static_cast<double>(submitters_.size());
  }

  std::string waiting() const override {
    std::size_t window = 0;
    for (const auto& s : submitters_) window += s.waiting ? 1 : 0;
    std::uint64_t held = 0;
    for (const auto& q : queues_) held += q.held_back();
    return fmt::format("{} submitters wait for window={}, {} reservations wait for their turn",
                       window, setup_.window, held);
  }

 private:
  void create(std::size_t count) {
    const auto queues =
        static_cast<std::size_t>(std::min<double>(setup_.qps, static_cast<double>(count)));
    submitters_.resize(count);
    if (shared_) queues_.assign(queues, QueuePair{count / queues + 2});  // and the probe
    for (std::size_t i = 0; i < count; ++i)
      submitters_[i].queue = static_cast<std::uint32_t>(i % queues);
    if (lanes_) {
      // Neighbouring lanes share a queue pair, as blocks that own a context do.
      for (std::size_t i = 0; i < count; ++i)
        submitters_[i].queue = static_cast<std::uint32_t>(i / lanes_per_warp % queues);
      queues_.assign(queues, QueuePair{count + 1});
      warps_.resize((count + lanes_per_warp - 1) / lanes_per_warp);
    }
    for (std::size_t i = 0; i < count; ++i) begin(static_cast<std::uint32_t>(i));
  }

  /// Starts the next batch, or waits until the window opens.
  void begin(std::uint32_t i) {
    auto& s = submitters_[i];
    s.waiting = s.outstanding + batch_ > window_;
    if (s.waiting) return;
    s.outstanding += batch_;
    if (lanes_) {
      become_ready(i);
      return;
    }
    s.started = now_;
    if (shared_) s.ticket = queues_[s.queue].reserve();
    calendar_.schedule(now_ + build_ * random_.jitter(build_jitter), built, i);
  }

  void become_ready(std::uint32_t i) {
    auto& w = warps_[i / lanes_per_warp];
    w.ready.emplace_back(now_, i);
    if (!w.scheduled) {
      w.scheduled = true;
      calendar_.schedule(std::max(now_, w.free_at), group_starts,
                         static_cast<std::uint32_t>(i / lanes_per_warp));
    }
  }

  /// The lanes that became ready together reserve and build as one.
  void start_group(std::uint32_t warp) {
    auto& w = warps_[warp];
    const double first = w.ready.front().first;
    const double done = now_ + build_ * random_.jitter(build_jitter);
    while (!w.ready.empty() && w.ready.front().first <= first + reconvergence) {
      auto& s = submitters_[w.ready.front().second];
      s.started = w.ready.front().first;
      s.ticket = queues_[s.queue].reserve();
      calendar_.schedule(done, built, w.ready.front().second);
      w.ready.pop_front();
    }
    w.free_at = done;
    w.scheduled = !w.ready.empty();
    if (w.scheduled) calendar_.schedule(done, group_starts, warp);
  }

  void try_section(std::uint32_t queue) {
    auto& q = queues_[queue];
    const auto next = q.startable();
    if (next == QueuePair::nobody) return;
    q.start();
    calendar_.schedule(now_ + section_, section_done, next);
  }

  void ring(std::uint32_t i) {
    if (i == probe_) {
      calendar_.schedule(now_ + probe_flight_ + nic_.load_delay(now_), probe_pass, 0);
      return;
    }
    const double done = nic_.submit(now_, batch_) + complete_;
    latency_.add(done - submitters_[i].started, batch_);
    calendar_.schedule(done, completion, i);
    after_publication(i);
  }

  void after_publication(std::uint32_t i) {
    if (setup_.publication != Publication::warp_synchronised) {
      begin(i);
      return;
    }
    auto& w = warps_[i / lanes_per_warp];
    const auto first = i / lanes_per_warp * lanes_per_warp;
    const auto lanes = std::min(lanes_per_warp, submitters_.size() - first);
    if (++w.at_barrier < lanes) return;
    w.at_barrier = 0;
    for (std::size_t lane = first; lane < first + lanes; ++lane)
      begin(static_cast<std::uint32_t>(lane));
  }

  void handle(const Event& e) override {
    switch (e.kind) {
      case group_starts:
        start_group(e.agent);
        break;
      case built:
        if (!shared_ || (e.agent == probe_ && !probe_shares())) {
          ring(e.agent);
          break;
        }
        queues_[submitters_[e.agent].queue].built(submitters_[e.agent].ticket, e.agent);
        try_section(submitters_[e.agent].queue);
        break;
      case section_done:
        queues_[submitters_[e.agent].queue].finish();
        try_section(submitters_[e.agent].queue);
        ring(e.agent);
        break;
      case completion:
        complete(e.agent);
        break;
      case probe_pass:
        start_pass();
        break;
      default:
        break;
    }
  }

  void complete(std::uint32_t i) {
    auto& s = submitters_[i];
    completed_ += batch_;
    s.outstanding -= batch_;
    if (probe_ != QueuePair::nobody && ahead_ > 0 && probe_shares(s)) {
      ahead_ -= batch_;
      if (ahead_ <= 0) calendar_.schedule(now_ + probe_build_, built, probe_);
    }
    if (s.waiting) begin(i);
  }

  /// The probe is a submitter of its own that ping-pongs. On a shared queue pair it takes a ticket
  /// behind everyone who reserved before, and gets its slot once everything that was outstanding
  /// there when it came has completed: the queue is as deep as its users' windows. The peer is as
  /// loaded as this side, so a round trip is two such passes.
  void create_probe() {
    probe_ = static_cast<std::uint32_t>(submitters_.size());
    submitters_.emplace_back();
    probe_build_ = pipeline_.total(Phase::issue).us();
    probe_flight_ = (pipeline_.total(Phase::transit) + pipeline_.total(Phase::receive)).us();
    calendar_.schedule(0, probe_pass, 0);
  }

  bool probe_shares() const { return shared_ && setup_.queue != Queue::private_queue; }
  bool probe_shares(const Submitter& s) const {
    return setup_.queue == Queue::shared ||
           (setup_.queue == Queue::shared_with_one && s.queue == 0);
  }

  void start_pass() {
    if (passes_++ % 2 == 0) turn_trip();
    ahead_ = 0;
    if (probe_shares()) {
      for (const auto& s : submitters_)
        if (probe_shares(s)) ahead_ += s.outstanding;
      submitters_[probe_].ticket = queues_[0].reserve();
    }
    if (ahead_ <= 0) calendar_.schedule(now_ + probe_build_, built, probe_);
  }

  Setup setup_;
  Pipeline pipeline_;
  bool shared_ = false, lanes_ = false;
  double window_ = unlimited;  ///< messages a submitter may have outstanding
  double batch_ = 1, section_ = 0, build_ = 0, complete_ = 0;
  std::uint32_t probe_ = QueuePair::nobody;
  std::uint64_t passes_ = 0;
  double probe_build_ = 0, probe_flight_ = 0;
  double ahead_ = 0;  ///< messages that must complete before the probe has its slot
  std::vector<Submitter> submitters_;
  std::vector<QueuePair> queues_;
  std::vector<Warp> warps_;
};

}  // namespace

std::unique_ptr<World> gpu_world(const Setup& setup, const ParameterValues& values,
                                 std::uint64_t seed) {
  return std::make_unique<GpuWorld>(setup, values, build_pipeline(setup, values), seed);
}

}  // namespace qpcast::simgrid
