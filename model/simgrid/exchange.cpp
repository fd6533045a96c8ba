#include "model/simgrid/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>

#include "model/simgrid/engine.hpp"
#include "model/simgrid/issuer.hpp"
#include "model/simgrid/trace.hpp"
#include "model/simgrid/zones.hpp"

namespace qpcast::simgrid {

namespace sg = ::simgrid::s4u;

namespace {

/// One rank: submitting side, NIC, and what it saw.
struct Rank {
  Rank(const Scene& scene, const SimulationOptions& options, std::vector<QueueLoad> queues,
       std::uint64_t seed)
      : random{seed},
        issuer{scene, options, std::move(queues), random.bits()},
        engine{scene, static_cast<std::uint32_t>(std::max<std::size_t>(1, issuer.queue_count())),
               options.replacement, random} {
    engine.warm_up();
    times.queue_pairs = static_cast<std::uint32_t>(issuer.queue_count());
  }
  Random random;
  Issuer issuer;
  Engine engine;
  double receiver_free = 0;  ///< the message engine, on what arrives
  RankTimes times;
};

/// Links as stations: see the header.
class Stations {
 public:
  Stations(Zones& zones, double buffer) : zones_{zones}, buffer_{buffer} {}

  struct Transfer {
    double first_in;    ///< the burst's head enters the last link
    double last_out;    ///< its tail has left the last link
    double leaves_nic;  ///< its tail has left the first link
    double nic_held;    ///< the sender's engine takes nothing more before
  };
  Transfer pass(const std::vector<std::uint32_t>& route, double bytes, double head, double tail) {
    ends_.clear();
    free_.resize(zones_.link_count());
    busy_.resize(zones_.link_count());
    for (const auto link : route) {
      const double time = bytes / zones_.bytes_per_us(link);
      head = std::max(head, free_[link]);
      tail = std::max(head + time, tail);
      free_[link] = tail;
      busy_[link] += time;
      ends_.push_back(tail);
    }
    for (std::size_t i = ends_.size() - 1; i > 0; --i)
      free_[route[i - 1]] = std::max(free_[route[i - 1]], ends_[i] - room(route[i]));
    return {head, tail, ends_.front(), ends_.front() - room(route.front())};
  }
  double busy(std::size_t link) const { return link < busy_.size() ? busy_[link] : 0; }

 private:
  double room(std::uint32_t link) const { return buffer_ / zones_.bytes_per_us(link); }

  Zones& zones_;
  double buffer_;
  std::vector<double> free_, busy_, ends_;
};

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
        trace_{options.trace.empty() ? 0 : options.trace_events},
        path_{std::max(0.0,
                       scene.transit - scene.doorbell_to_nic - scene.engine - scene.wire)} {}

  void add_rank(std::vector<QueueLoad> queues) {
    ranks_.push_back(std::make_unique<Rank>(scene_, options_, std::move(queues),
                                            options_.seed + 0x9e3779b9U * (ranks_.size() + 1)));
  }

  /// All ranks' doorbells in order of time, by one actor that sleeps from one to the next.
  void play_stations() {
    Agenda agenda;  // one entry per rank: its next doorbell
    const auto enter = [&](std::uint32_t r) {
      if (ranks_[r]->issuer.more()) agenda.at(ranks_[r]->issuer.next(), EventKind::doorbell, r);
    };
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) enter(r);
    const double lookahead = std::max(0.1, scene_.transit);
    double horizon = lookahead;
    while (!agenda.empty()) {
      const auto event = agenda.take();
      if (event.time > horizon) {
        sg::this_actor::sleep_until(event.time);
        horizon = event.time + lookahead;
      }
      auto& rank = *ranks_[event.index];
      const auto doorbell = rank.issuer.take();
      rank.issuer.sent(doorbell, send_by_stations(event.index, doorbell));
      enter(event.index);
    }
  }

  /// One rank's NIC as an actor: bursts one after the other, each a SimGrid communication.
  void play_flows(std::uint32_t r) {
    auto& rank = *ranks_[r];
    while (rank.issuer.more()) {
      const double next = rank.issuer.next();
      if (next > sg::Engine::get_clock()) sg::this_actor::sleep_until(next);
      const auto doorbell = rank.issuer.take();
      rank.issuer.sent(doorbell, send_by_flow(r, doorbell));
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
  /// @return when the sender notices the completion
  double send_by_stations(std::uint32_t r, const Doorbell& d) {
    auto& rank = *ranks_[r];
    const auto served = rank.engine.serve(d.time, d.messages, d.queue);
    const auto& route = zones_.route(r, d.target);
    const auto moved =
        stations_.pass(route, bytes_ * d.messages, served.first, served.end + scene_.wire);
    rank.engine.hold(moved.nic_held);
    trace_link(route.front(), moved.leaves_nic - scene_.wire * d.messages, moved.leaves_nic, d);
    trace_link(route.back(), moved.first_in, moved.last_out, d);
    return arrive(r, d, served, moved.leaves_nic, moved.first_in, moved.last_out,
                  hops(route.size()));
  }

  double send_by_flow(std::uint32_t r, const Doorbell& d) {
    auto& rank = *ranks_[r];
    const auto served = rank.engine.serve(std::max(d.time, sg::Engine::get_clock()), d.messages,
                                          d.queue);
    const double bytes = bytes_ * d.messages;
    sg::Comm::sendto_init(zones_.host(r), zones_.host(d.target))
        ->set_payload_size(static_cast<std::uint64_t>(std::max(1.0, std::round(bytes))))
        ->set_rate(bytes / (served.end - served.start))
        ->wait();
    const double end = sg::Engine::get_clock();
    rank.engine.hold(end);
    const double first = std::max(served.start, end - bytes_ * d.messages / line());
    return arrive(r, d, served, end, first, end, hops(zones_.route(r, d.target).size()));
  }

  /// The burst's way from the last link into the target, and its completion's way back.
  double arrive(std::uint32_t r, const Doorbell& d, const Engine::Service& served, double left,
                double first_in, double last_out, double further) {
    auto& target = *ranks_[d.target];
    const double work = d.messages * scene_.engine;
    target.receiver_free = std::max(std::max(target.receiver_free, first_in) + work, last_out);
    const double visible = target.receiver_free + path_ + further;
    const double done = visible + scene_.acknowledge + further + scene_.complete;
    auto& sent = ranks_[r]->times;
    sent.sent += d.messages;
    sent.sending = std::max(sent.sending, left);
    sent.completed = std::max(sent.completed, done);
    target.times.received += d.messages;
    target.times.last_arrival = std::max(target.times.last_arrival, visible);
    latency_.add(visible - d.began, d.messages);
    ++doorbells_;
    trace_.span(Track::thread, r, "build and publish", d.began, d.time, d.messages);
    trace_.span(Track::nic, r, "fetch and execute", served.start, served.end, d.messages);
    return done;
  }

  void trace_link(std::uint32_t link, double begin, double end, const Doorbell& d) {
    if (!trace_.on()) return;
    trace_.name(Track::link, link, zones_.link_name(link));
    trace_.span(Track::link, link, "transmit", begin, end, d.messages);
  }

  double hops(std::size_t links) const {
    return links > 2 ? static_cast<double>(links - 2) * fabric_.hop.us() : 0;
  }
  double line() const { return bytes_ / scene_.wire; }

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
  double bytes_;  ///< of one message on the wire
  Trace trace_;
  double path_;  ///< from the wire's end to the target's memory, us
  std::vector<std::unique_ptr<Rank>> ranks_;
  Histogram latency_;
  std::uint64_t doorbells_ = 0;
};

}  // namespace

ExchangeResult simulate_exchange(
    const Scene& scene, const SimulationOptions& options, const Fabric& fabric,
    std::uint32_t ranks, std::uint32_t gpus_per_node, double line,
    const std::function<std::vector<QueueLoad>(std::uint32_t)>& queues_of, Wire wire) {
  // Plain max-min sharing: no TCP window, no reverse traffic, no slow start.
  std::vector<std::string> words{"qpcast", "--log=root.thres:critical", "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0"};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  sg::Engine engine{&count, arguments.data()};
  Zones zones{fabric, ranks, gpus_per_node, line};
  Exchange exchange{scene, options, fabric, zones, line};
  for (std::uint32_t r = 0; r < ranks; ++r) exchange.add_rank(queues_of(r));
  if (wire == Wire::stations)
    sg::Actor::create("doorbells", zones.host(0), [&] { exchange.play_stations(); });
  else
    for (std::uint32_t r = 0; r < ranks; ++r)
      sg::Actor::create("nic", zones.host(r), [&exchange, r] { exchange.play_flows(r); });
  engine.run();
  return exchange.result();
}

std::string to_bytes(const ExchangeResult& r) {
  std::string out;
  const auto put = [&](const auto& value) {
    static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(value)>>);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(r.ranks.size());
  for (const auto& rank : r.ranks) put(rank);
  put(r.links.size());
  for (const auto& link : r.links) {
    put(link.busy);
    put(link.name.size());
    out += link.name;
  }
  put(r.doorbells);
  put(r.misses);
  put(r.wire_bytes);
  put(r.latency);
  return out;
}

ExchangeResult exchange_from_bytes(const std::string& bytes) {
  ExchangeResult r;
  std::size_t at = 0;
  const auto get = [&](auto& value) {
    std::memcpy(static_cast<void*>(&value), bytes.data() + at, sizeof value);
    at += sizeof value;
  };
  std::size_t count = 0;
  get(count);
  r.ranks.resize(count);
  for (auto& rank : r.ranks) get(rank);
  get(count);
  r.links.resize(count);
  for (auto& link : r.links) {
    get(link.busy);
    get(count);
    link.name = bytes.substr(at, count);
    at += count;
  }
  get(r.doorbells);
  get(r.misses);
  get(r.wire_bytes);
  get(r.latency);
  return r;
}

}  // namespace qpcast::simgrid
