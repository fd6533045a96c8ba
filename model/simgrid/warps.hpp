/// Lanes of a warp that hand slots on thread by thread: kept together, or free to drift apart.
///
/// Slots of a queue pair are reserved in order and published in order: a section announces the
/// run of consecutive finished WQEs at the head, at most B, and costs section(run). Which they are
/// is read once, a memory access after the section began, since the fence must cover them. Until
/// its slot is published a lane waits; the lanes of one run leave together, reserve their next
/// slots and build side by side as one group.
///
/// warp-synchronised: all lanes build a round together, and wait for each other until the last of
/// them is published. A round takes as long as its slowest lane and the sections of all.
///
/// With a window, a lane that has put that many WQEs waits until all of them are complete.
///
/// warp-drifting: nothing brings groups together again but waiting in the same run. A lane that
/// is late (its jitter) cuts the run, the group splits, and the sections announce less. Divergent
/// groups of one warp share its issue slots: with k groups building, each takes
///   1 + coherence * (k - 1)
/// times as long, coherence being the share of GPU time that is cycles rather than waiting for
/// memory (the cost profile's clock_share). How far lanes drift is thus an outcome. A probe that
/// shares the queue pair has a slot there as a lane of its own.
#pragma once

#include "model/simgrid/outstanding.hpp"
#include "model/simgrid/streams.hpp"
#include "model/simgrid/traffic.hpp"

namespace qpcast::simgrid {

class SynchronisedWarps : public Traffic {
 public:
  explicit SynchronisedWarps(World& world);
  void start() override;
  void handle(const Event& event) override;
  void submit_probe(double now) override { enter_probe(world_, sections_, now); }
  std::string waiting() const override { return {}; }
  double submitter_busy_us() const override { return busy_; }
  double section_busy_us() const override { return sections_.busy_us(); }
  double run_length() const override { return sections_.mean_announced(); }

 private:
  struct Warp {
    Outstanding outstanding;
    Itinerary itinerary;
    double began = 0, published = 0;  ///< end of the round's last section
    std::uint32_t unflushed = 0;      ///< WQEs a lane has put since its last flush
    bool flushing = false;            ///< waits for the completion of all of them
    std::vector<double> starts;       ///< of rounds whose doorbells are due, oldest first
  };
  void next_round(std::uint32_t w, double when);
  void begin(std::uint32_t w, double now);
  void built(std::uint32_t w, double now);
  void doorbell(std::uint32_t w, double now);
  void freed(std::uint32_t queue, double now);

  World& world_;
  std::uint32_t lanes_, per_lane_;  ///< a lane builds per_lane WQEs in a round
  bool crowded_ = false;            ///< a queue pair's warps could ask for more slots than it has
  std::vector<Warp> warps_;
  Sections sections_;
  Room room_;
  double busy_ = 0;
};

class DriftingWarps : public Traffic {
 public:
  explicit DriftingWarps(World& world);
  void start() override;
  void handle(const Event& event) override;
  void reserve_probe(double now) override;
  void submit_probe(double now) override;
  std::string waiting() const override { return {}; }
  double submitter_busy_us() const override { return busy_; }
  double section_busy_us() const override { return section_busy_; }
  double run_length() const override {
    return sections_ == 0 ? 0 : static_cast<double>(announced_) / static_cast<double>(sections_);
  }

 private:
  struct Lane {
    Itinerary itinerary;
    double began = 0;
    std::uint32_t warp = 0, group = 0;
    std::uint32_t unflushed = 0;  ///< WQEs put since its last flush
    bool ready = false;
  };
  struct Queue {
    std::vector<std::uint32_t> slots;  ///< ring: the lanes in reservation order
    std::uint32_t head = 0, size = 0;
    std::uint32_t publishing = 0;  ///< WQEs of the section in progress
    double began = 0;              ///< that section
    bool busy = false;
    Outstanding outstanding;
  };
  void build(std::uint32_t queue, std::uint32_t count, const std::uint32_t* lanes, double now);
  void lane_ready(std::uint32_t lane, double now);
  void publish(std::uint32_t queue, double now);
  void section_read(std::uint32_t queue, double now);
  void section_ended(std::uint32_t queue, double now);
  void proceed(std::uint32_t queue, std::size_t from, std::size_t to, double now, double done);
  void flushed(std::uint32_t group, double now);
  std::uint32_t new_group();
  std::uint32_t the_probe() const { return world_.scene.streams; }
  bool probe_shares() const {
    return world_.scene.section && world_.scene.setup.queue != qpcast::Queue::private_queue;
  }

  World& world_;
  std::vector<Lane> lanes_;  ///< the last one is the probe's
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> building_;               ///< per warp: groups that are building
  std::vector<std::uint32_t> group_left_;             ///< per group: lanes still building
  std::vector<std::vector<std::uint32_t>> flushing_;  ///< per group: lanes waiting to go on
  std::vector<std::uint32_t> free_groups_;
  std::vector<std::uint32_t> run_;  ///< scratch
  double busy_ = 0, section_busy_ = 0;
  std::uint64_t announced_ = 0, sections_ = 0;
};

}  // namespace qpcast::simgrid
