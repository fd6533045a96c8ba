#include "model/simgrid/warps.hpp"

#include <algorithm>
#include <cmath>

namespace qpcast::simgrid {

namespace {

constexpr std::uint32_t warp_size = 32;
/// One read of the slots' state, us. Assumed: an L2 access of some 260 cycles. Values from 1 to
/// 130 ns were tried beside the published drift gain, together with the jitter (options.hpp); at a
/// jitter of 3 % they give gains from 3.0 to 2.4.
constexpr double slot_read = 0.13;

/// Lanes that share a queue pair inside one warp.
std::uint32_t lanes_of(const Scene& scene) {
  return std::clamp(scene.streams / scene.queues, 1U, warp_size);
}

}  // namespace

SynchronisedWarps::SynchronisedWarps(World& world)
    : world_{world},
      lanes_{lanes_of(world.scene)},
      per_lane_{(world.scene.batch + lanes_ - 1) / lanes_},
      sections_{world.scene},
      room_{world.scene.queues, world.scene.send_queue} {
  const auto& scene = world.scene;
  const auto count = (scene.streams + lanes_ - 1) / lanes_;
  const double credit = std::max(scene.credit * lanes_, 4.0 * lanes_ * per_lane_);
  crowded_ = std::ceil(double(count) / scene.queues) * credit > scene.send_queue;
  warps_.reserve(count);
  for (std::uint32_t w = 0; w < count; ++w)
    warps_.push_back({Outstanding{credit, scene.batch},
                      Itinerary{scene, world.options.cyclic_visits, w},
                      0,
                      0,
                      0,
                      false,
                      {}});
}

void SynchronisedWarps::start() {
  for (std::uint32_t w = 0; w < warps_.size(); ++w) next_round(w, world_.random.uniform());
}

void SynchronisedWarps::next_round(std::uint32_t w, double when) {
  if (crowded_) return world_.agenda.at(when, EventKind::admitted, w);
  begin(w, when);
}

void SynchronisedWarps::freed(std::uint32_t queue, double now) {
  room_.give(queue, std::min(world_.scene.batch, lanes_ * per_lane_));
  while (const auto w = room_.next(queue)) begin(*w, now);
}

void SynchronisedWarps::begin(std::uint32_t w, double now) {
  const auto& scene = world_.scene;
  const double slowest =
      1 + world_.options.lane_jitter * (world_.random.largest_exponential(lanes_) - 1);
  const double build = scene.build / scene.batch * per_lane_ * slowest;
  busy_ += build * lanes_;
  warps_[w].began = now;
  world_.trace.span(Track::thread, w, "warp builds", now, now + build, lanes_ * per_lane_);
  world_.agenda.at(now + build, EventKind::built, w);
}

void SynchronisedWarps::built(std::uint32_t w, double now) {
  auto& warp = warps_[w];
  const auto& scene = world_.scene;
  const auto queue = w % scene.queues;
  for (auto left = lanes_ * per_lane_; left > 0; left -= std::min(left, scene.batch)) {
    const auto n = std::min(left, scene.batch);
    const double turn = warp.outstanding.admit(now);
    warp.published = sections_.enter(queue, turn, n);
    world_.trace.span(Track::queue, queue, "publish",
                      warp.published - scene.section_fixed - scene.section_each * n, warp.published,
                      n);
    world_.agenda.at(warp.published, EventKind::doorbell, w);
    warp.starts.push_back(warp.began);
    warp.outstanding.add(warp.published + scene.transit + scene.acknowledge + scene.complete);
  }
  warp.unflushed += per_lane_;
  if (warp.unflushed >= scene.setup.window)
    warp.flushing = true;
  else
    next_round(w, warp.published);
}

void SynchronisedWarps::doorbell(std::uint32_t w, double now) {
  auto& warp = warps_[w];
  const auto& scene = world_.scene;
  const auto n = std::min(scene.batch, lanes_ * per_lane_);
  const auto connection = warp.itinerary.next(n, world_.random);
  const auto passage = world_.nic.send(now, n, w % scene.queues, connection);
  world_.departed(passage, n);
  world_.record_latency(passage.acknowledged + scene.complete - warp.starts.front(), n);
  warp.starts.erase(warp.starts.begin());
  if (crowded_)
    world_.agenda.at(passage.acknowledged + scene.complete, EventKind::flushed, w % scene.queues);
  if (!warp.flushing || !warp.starts.empty()) return;
  warp.flushing = false;
  warp.unflushed = 0;
  next_round(w, passage.acknowledged + scene.complete);
}

void SynchronisedWarps::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::admitted:
      if (room_.take(event.index % world_.scene.queues, event.index, lanes_ * per_lane_))
        begin(event.index, event.time);
      return;
    case EventKind::flushed:
      return freed(event.index, event.time);
    case EventKind::built:
      return built(event.index, event.time);
    case EventKind::doorbell:
      return doorbell(event.index, event.time);
    case EventKind::probe_doorbell:
      return probe_doorbell(world_, event.time);
    default:
      return;
  }
}

DriftingWarps::DriftingWarps(World& world) : world_{world} {
  const auto& scene = world.scene;
  const auto together = lanes_of(scene);
  const auto per_queue = (scene.streams + scene.queues - 1) / scene.queues;
  for (std::uint32_t i = 0; i <= scene.streams; ++i)
    lanes_.push_back({Itinerary{scene, world.options.cyclic_visits, i}, 0, 0, 0, 0, false});
  for (std::uint32_t q = 0; q < scene.queues; ++q)
    queues_.push_back({std::vector<std::uint32_t>(per_queue + 1), 0, 0, 0, 0, false,
                       Outstanding{static_cast<double>(scene.send_queue), scene.batch}});
  const auto warps_per_queue = (per_queue + together - 1) / together;
  for (std::uint32_t i = 0; i < scene.streams; ++i)
    lanes_[i].warp = i % scene.queues * warps_per_queue + i / scene.queues / together;
  building_.resize(std::size_t{scene.queues} * warps_per_queue);
  lanes_[the_probe()].warp = UINT32_MAX;
}

void DriftingWarps::start() {
  const auto together = lanes_of(world_.scene);
  for (std::uint32_t q = 0; q < queues_.size(); ++q) {
    std::vector<std::uint32_t> group;
    for (auto lane = q; lane < world_.scene.streams; lane += world_.scene.queues) {
      group.push_back(lane);
      if (group.size() < together) continue;
      build(q, static_cast<std::uint32_t>(group.size()), group.data(), 0);
      group.clear();
    }
    if (!group.empty()) build(q, static_cast<std::uint32_t>(group.size()), group.data(), 0);
  }
}

std::uint32_t DriftingWarps::new_group() {
  if (free_groups_.empty()) {
    free_groups_.push_back(static_cast<std::uint32_t>(group_left_.size()));
    group_left_.push_back(0);
    flushing_.emplace_back();
  }
  const auto group = free_groups_.back();
  free_groups_.pop_back();
  return group;
}

/// Lanes of one warp that left together reserve their next slots and build side by side.
void DriftingWarps::build(std::uint32_t queue, std::uint32_t count, const std::uint32_t* lanes,
                          double now) {
  auto& q = queues_[queue];
  const auto& scene = world_.scene;
  const auto group = new_group();
  group_left_[group] = count;
  const auto warp = lanes_[lanes[0]].warp;
  const double shared = 1 + scene.coherence * building_[warp]++;
  const double alone = scene.build / scene.batch * shared;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& lane = lanes_[lanes[i]];
    lane.began = now;
    lane.group = group;
    lane.ready = false;
    q.slots[(q.head + q.size++) % q.slots.size()] = lanes[i];
    const double time = world_.jittered(alone);
    busy_ += time;
    world_.trace.span(Track::thread, lanes[i], "build", now, now + time, 1);
    world_.agenda.at(now + time, EventKind::lane_ready, lanes[i]);
  }
}

void DriftingWarps::lane_ready(std::uint32_t index, double now) {
  auto& lane = lanes_[index];
  lane.ready = true;
  if (--group_left_[lane.group] == 0) {
    free_groups_.push_back(lane.group);
    --building_[lane.warp];
  }
  publish(index % world_.scene.queues, now);
}

void DriftingWarps::reserve_probe(double now) {
  if (!probe_shares()) return;
  auto& q = queues_[0];
  lanes_[the_probe()].ready = false;
  lanes_[the_probe()].began = now;
  q.slots[(q.head + q.size++) % q.slots.size()] = the_probe();
}

void DriftingWarps::submit_probe(double now) {
  if (!probe_shares()) return probe_doorbell(world_, now);
  lanes_[the_probe()].ready = true;
  publish(0, now);
}

/// Starts a section when the slot at the head is built.
void DriftingWarps::publish(std::uint32_t queue, double now) {
  auto& q = queues_[queue];
  if (q.busy || q.size == 0 || !lanes_[q.slots[q.head]].ready) return;
  q.busy = true;
  q.began = q.outstanding.admit(now);
  world_.agenda.at(q.began + std::min(slot_read, world_.scene.section_fixed),
                   EventKind::section_read, queue);
}

/// What is built by now goes out: a fence that covers it is still to come.
void DriftingWarps::section_read(std::uint32_t queue, double) {
  auto& q = queues_[queue];
  std::uint32_t run = 0;
  const auto most = std::min(q.size, world_.scene.batch);
  while (run < most && lanes_[q.slots[(q.head + run) % q.slots.size()]].ready) ++run;
  q.publishing = run;
  const double end = q.began + world_.scene.section_fixed + world_.scene.section_each * run;
  section_busy_ += end - q.began;
  announced_ += run;
  ++sections_;
  world_.trace.span(Track::queue, queue, "publish", q.began, end, run);
  world_.agenda.at(end, EventKind::section_ended, queue);
}

void DriftingWarps::section_ended(std::uint32_t queue, double now) {
  auto& q = queues_[queue];
  const auto n = q.publishing;
  q.busy = false;
  run_.clear();
  for (std::uint32_t i = 0; i < n; ++i) run_.push_back(q.slots[(q.head + i) % q.slots.size()]);
  q.head = static_cast<std::uint32_t>((q.head + n) % q.slots.size());
  q.size -= n;
  auto& first = lanes_[run_.front()];
  const auto passage = world_.nic.send(now, n, queue, first.itinerary.next(n, world_.random));
  const double done = passage.acknowledged + world_.scene.complete;
  q.outstanding.add(done);
  if (std::erase(run_, the_probe()) > 0) world_.probe->passed(passage);
  world_.departed(passage, static_cast<std::uint32_t>(run_.size()));
  for (const auto lane : run_) world_.record_latency(done - lanes_[lane].began, 1);
  for (std::size_t from = 0; from < run_.size();) {
    auto to = from + 1;
    while (to < run_.size() && lanes_[run_[to]].warp == lanes_[run_[from]].warp) ++to;
    proceed(queue, from, to, now, done);
    from = to;
  }
  publish(queue, now);
}

/// Lanes of one warp whose slots one section published: build the next, or flush first.
void DriftingWarps::proceed(std::uint32_t queue, std::size_t from, std::size_t to, double now,
                            double done) {
  const double window = world_.scene.setup.window;
  const auto begin = run_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = run_.begin() + static_cast<std::ptrdiff_t>(to);
  const auto flush = std::stable_partition(
      begin, end, [&](std::uint32_t lane) { return ++lanes_[lane].unflushed < window; });
  if (flush != begin) build(queue, static_cast<std::uint32_t>(flush - begin), &*begin, now);
  if (flush == end) return;
  const auto group = new_group();
  flushing_[group].assign(flush, end);
  world_.agenda.at(done, EventKind::flushed, group);
}

void DriftingWarps::flushed(std::uint32_t group, double now) {
  const auto lanes = std::move(flushing_[group]);
  flushing_[group].clear();
  free_groups_.push_back(group);
  for (const auto lane : lanes) lanes_[lane].unflushed = 0;
  const auto queue = lanes.front() % world_.scene.queues;
  build(queue, static_cast<std::uint32_t>(lanes.size()), lanes.data(), now);
}

void DriftingWarps::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::lane_ready:
      return lane_ready(event.index, event.time);
    case EventKind::flushed:
      return flushed(event.index, event.time);
    case EventKind::section_read:
      return section_read(event.index, event.time);
    case EventKind::section_ended:
      return section_ended(event.index, event.time);
    default:
      return;
  }
}

}  // namespace qpcast::simgrid
