#include "model/simgrid/exchange.hpp"

#include <algorithm>
#include <memory>

#include "model/simgrid/flows.hpp"
#include "model/simgrid/rank.hpp"
#include "model/simgrid/s4u_engine.hpp"
#include "model/simgrid/stations.hpp"
#include "model/simgrid/trace.hpp"
#include "model/simgrid/zones.hpp"

namespace qpcast::simgrid {

namespace sg = ::simgrid::s4u;

namespace {

class Exchange {
 public:
  Exchange(const Scene& scene, const SimulationOptions& options, const Fabric& fabric, Zones& zones,
           double line)
      : scene_{scene},
        options_{options},
        fabric_{fabric},
        zones_{zones},
        stations_{zones, fabric.buffer.count()},
        bytes_{scene.wire * line},
        quantum_{static_cast<std::uint32_t>(
            std::max(1.0, std::floor(fabric.quantum.count() / (scene.wire * line))))},
        under_way_{1 + static_cast<std::size_t>(fabric.buffer.count() / fabric.quantum.count())},
        trace_{options.trace.empty() ? 0 : options.trace_events, options.trace_from},
        path_{std::max(0.0, scene.transit - scene.doorbell_to_nic - scene.engine - scene.wire)} {}

  void add_rank(std::vector<QueueLoad> queues) {
    ranks_.push_back(std::make_unique<Rank>(scene_, options_, std::move(queues),
                                            options_.seed + 0x9e3779b9U * (ranks_.size() + 1)));
  }

  /// Everybody's doorbells and engines in order of time, by one actor that sleeps from one event to
  /// the next.
  void play_stations() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) await_doorbell(r);
    const double lookahead = std::max(0.1, scene_.transit);
    double horizon = lookahead;
    while (!agenda_.empty()) {
      const auto event = agenda_.take();
      if (event.time > horizon) {
        sg::this_actor::sleep_until(event.time);
        horizon = event.time + lookahead;
      }
      if (event.kind == EventKind::doorbell)
        ring(event.index, event.time);
      else
        run_engine(event.index, event.time);
    }
  }

  /// One rank's NIC as an actor: a few bursts under way, each a SimGrid communication.
  void play_flows(std::uint32_t r) {
    auto& rank = *ranks_[r];
    Flows flows;
    while (rank.issuer.more() || !rank.idle() || !flows.empty()) {
      while (rank.issuer.more() && rank.issuer.next() <= sg::Engine::get_clock())
        rank.ring(rank.issuer.take());
      if (!rank.idle() && flows.size() < under_way_)
        flows.start(start_flow(r, rank.next_piece(quantum_)));
      else if (!flows.empty())
        finish_flow(r, flows.wait());
      else
        sg::this_actor::sleep_until(rank.issuer.next());
    }
  }

  ExchangeResult result() const {
    ExchangeResult out;
    for (const auto& rank : ranks_) {
      auto times = rank->times;
      times.issue_end = rank->issuer.finished();
      times.engine_busy = rank->engine.busy_us();
      out.ranks.push_back(times);
      out.misses += rank->engine.misses();
    }
    out.doorbells = doorbells_;
    out.latency = latency_;
    out.wire_bytes = bytes_;
    out.links = busiest_links();
    if (!options_.trace.empty()) trace_.write(options_.trace);
    return out;
  }

 private:
  void await_doorbell(std::uint32_t r) {
    auto& issuer = ranks_[r]->issuer;
    if (issuer.more()) agenda_.at(issuer.next(), EventKind::doorbell, r);
  }

  void ring(std::uint32_t r, double now) {
    auto& rank = *ranks_[r];
    // A completion may have made this event stale: an earlier doorbell has its own.
    if (!rank.issuer.more() || rank.issuer.next() > now) return;
    rank.ring(rank.issuer.take());
    await_doorbell(r);
    if (rank.engine_runs) return;
    rank.engine_runs = true;
    agenda_.at(std::max(now, rank.engine.free_at()), EventKind::posted, r);
  }

  /// The engine takes the next piece, and looks again when it is free.
  void run_engine(std::uint32_t r, double now) {
    auto& rank = *ranks_[r];
    const auto piece = rank.next_piece(quantum_);
    const double done = send_by_stations(r, piece, now);
    if (piece.last) {
      rank.issuer.completed(piece.doorbell, done);
      await_doorbell(r);
    }
    rank.engine_runs = !rank.idle();
    if (rank.engine_runs) agenda_.at(rank.engine.free_at(), EventKind::posted, r);
  }

  /// @return when the sender notices the completion
  double send_by_stations(std::uint32_t r, const Rank::Piece& p, double now) {
    auto& rank = *ranks_[r];
    const auto served = rank.engine.serve(now, p.messages, p.doorbell.queue);
    const auto& route = zones_.route(r, p.doorbell.target);
    const auto moved =
        stations_.pass(route, bytes_ * p.messages, served.first, served.end + scene_.wire);
    rank.engine.hold(moved.nic_held);
    trace_link(route.front(), moved.leaves_nic - scene_.wire * p.messages, moved.leaves_nic, p);
    trace_link(route.back(), moved.first_in, moved.last_out, p);
    return arrive(r, p, served, moved.leaves_nic, moved.first_in, moved.last_out,
                  hops(route.size()));
  }

  Flow start_flow(std::uint32_t r, const Rank::Piece& p) {
    auto& rank = *ranks_[r];
    const auto served = rank.engine.serve(sg::Engine::get_clock(), p.messages, p.doorbell.queue);
    if (served.start > sg::Engine::get_clock()) sg::this_actor::sleep_until(served.start);
    const double bytes = bytes_ * p.messages;
    const auto comm = sg::Comm::sendto_init();
    comm->set_rate(bytes / (served.end - served.start));
    comm->set_payload_size(static_cast<std::uint64_t>(std::max(1.0, std::round(bytes))));
    comm->set_source(zones_.host(r));
    comm->set_destination(zones_.host(p.doorbell.target));  // complete now, so it starts
    return {comm, p, served};
  }

  void finish_flow(std::uint32_t r, const Flow& flow) {
    const auto& p = flow.piece;
    const double end = sg::Engine::get_clock();
    const double first = std::max(flow.served.start, end - scene_.wire * p.messages);
    const double further = hops(zones_.route(r, p.doorbell.target).size());
    const double done = arrive(r, p, flow.served, end, first, end, further);
    if (p.last) ranks_[r]->issuer.completed(p.doorbell, done);
  }

  /// The burst's way from the last link into the target, and its completion's way back.
  double arrive(std::uint32_t r, const Rank::Piece& p, const Engine::Service& served, double left,
                double first_in, double last_out, double further) {
    const auto& d = p.doorbell;
    auto& target = *ranks_[d.target];
    const double work = p.messages * scene_.engine;
    target.receiver_free = std::max(std::max(target.receiver_free, first_in) + work, last_out);
    const double visible = target.receiver_free + path_ + further;
    const double done = visible + scene_.acknowledge + further + scene_.complete;
    auto& sent = ranks_[r]->times;
    sent.sent += p.messages;
    sent.sending = std::max(sent.sending, left);
    sent.completed = std::max(sent.completed, done);
    target.times.received += p.messages;
    target.times.last_arrival = std::max(target.times.last_arrival, visible);
    latency_.add(visible - d.began, p.messages);
    doorbells_ += p.last ? 1 : 0;
    if (p.last)
      trace_.overlapping(Track::thread, r, "build and publish", d.began, d.time, d.messages);
    trace_.span(Track::nic, r, "fetch and execute", served.start, served.end, p.messages);
    return done;
  }

  void trace_link(std::uint32_t link, double begin, double end, const Rank::Piece& p) {
    if (!trace_.on()) return;
    trace_.name(Track::link, link, zones_.link_name(link));
    trace_.span(Track::link, link, "transmit", begin, end, p.messages);
  }

  double hops(std::size_t links) const {
    return links > 2 ? static_cast<double>(links - 2) * fabric_.hop.us() : 0;
  }
  std::vector<LinkLoad> busiest_links() const {
    constexpr std::size_t shown = 5;
    std::vector<LinkLoad> all;
    for (std::size_t l = 0; l < zones_.link_count(); ++l)
      if (stations_.busy(l) > 0) all.push_back({zones_.link_name(l), stations_.busy(l)});
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.busy > b.busy; });
    all.resize(std::min(all.size(), shown));
    return all;
  }

  const Scene& scene_;
  const SimulationOptions& options_;
  const Fabric& fabric_;
  Zones& zones_;
  Stations stations_;
  double bytes_;           ///< of one message on the wire
  std::uint32_t quantum_;  ///< messages a queue pair sends before the next one's turn
  std::size_t under_way_;  ///< bursts of one NIC that are on their way, as flows
  Trace trace_;
  double path_;  ///< from the wire's end to the target's memory, us
  std::vector<std::unique_ptr<Rank>> ranks_;
  Agenda agenda_;
  Histogram latency_;
  std::uint64_t doorbells_ = 0;
};

}  // namespace

ExchangeResult simulate_exchange(
    const Scene& scene, const SimulationOptions& options, const Fabric& fabric, std::uint32_t ranks,
    std::uint32_t gpus_per_node, double line,
    const std::function<std::vector<QueueLoad>(std::uint32_t)>& queues_of, Wire wire) {
  // Plain max-min sharing: no TCP window, no reverse traffic, no slow start.
  const auto engine =
      start_engine({"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0"});
  Zones zones{fabric, ranks, gpus_per_node, line};
  Exchange exchange{scene, options, fabric, zones, line};
  for (std::uint32_t r = 0; r < ranks; ++r) exchange.add_rank(queues_of(r));
  if (wire == Wire::stations)
    sg::Actor::create("doorbells", zones.host(0), [&] { exchange.play_stations(); });
  else
    for (std::uint32_t r = 0; r < ranks; ++r)
      sg::Actor::create("nic", zones.host(r), [&exchange, r] { exchange.play_flows(r); });
  engine->run();
  return exchange.result();
}

}  // namespace qpcast::simgrid
