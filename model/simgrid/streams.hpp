/// GPU streams: threads, or warps that publish together, each with batches of its own.
///
///   exclusive         build B WQEs, ring
///   lock-per-wqe      build one, wait for the queue's lock, ring inside it
///   thread-handoff    reserve B slots, build, wait for the slots reserved before, ring
///   warp-cooperative  the same with a warp as the stream
///
/// A lock passes in the order of requests, slots are published in the order of reservation: a
/// stream (or probe) that is ready waits for every earlier one that still builds. A stream waits
/// when its share of the send queue, or its window, is outstanding, or when others hold the slots
/// that it needs.
///
/// Inferred from how contexts are flushed, after the published round trip beside one CTA's context
/// (P-IB, gin-gdaki) contradicted simpler rules; no other row speaks of it: a probe flushes before
/// it overwrites its source for the next message. Its own message is complete by then; but where
/// the library's flush covers a whole context (completion per-peer or all-qp) it waits for every
/// slot that others have reserved there. Streams themselves wait for their own batches only,
/// whatever the scope.
#pragma once

#include <deque>
#include <optional>

#include "model/simgrid/outstanding.hpp"
#include "model/simgrid/room.hpp"
#include "model/simgrid/traffic.hpp"

namespace qpcast::simgrid {

/// Which connection a stream writes to, by visits of `visit` messages.
///
/// A visit goes to any connection with equal chance, whoever makes it: that is the visit whose mean
/// stall the closed form states. Cyclic visits go to the stream's own share of them, in turn.
class Itinerary {
 public:
  Itinerary(const Scene& scene, bool cyclic, std::uint32_t stream);
  std::uint32_t next(std::uint32_t messages, Random& random);
  /// The last `next` began a visit.
  bool arrived() const { return arrived_; }

 private:
  std::uint32_t connections_, stream_, stride_, count_, visit_;
  bool cyclic_;
  std::uint32_t turn_ = 0, at_ = 0, left_ = 0;
  bool arrived_ = false;
};

/// The exclusive sections of all queues: served in order, so a request's turn is known at once.
class Sections {
 public:
  explicit Sections(const Scene& scene) : scene_{scene}, free_(scene.queues) {}
  /// @return when the section of n WQEs, requested now, ends
  double enter(std::uint32_t queue, double now, std::uint32_t n) {
    const double start = now > free_[queue] ? now : free_[queue];
    const double held = scene_.section_fixed + scene_.section_each * n;
    busy_ += held;
    announced_ += n;
    ++sections_;
    return free_[queue] = start + held;
  }
  double busy_us() const { return busy_; }
  double mean_announced() const {
    return sections_ == 0 ? 0 : static_cast<double>(announced_) / static_cast<double>(sections_);
  }

 private:
  const Scene& scene_;
  std::vector<double> free_;
  double busy_ = 0;
  std::uint64_t announced_ = 0, sections_ = 0;
};

/// The probe's section behind those requested before it, where lanes hand slots on.
void enter_probe(World& world, Sections& sections, double now);

/// Slots of every queue pair in the order of their reservation.
class Reservations {
 public:
  explicit Reservations(std::uint32_t queues) : queues_(queues) {}
  using Ticket = std::uint64_t;
  Ticket reserve(std::uint32_t queue, std::uint32_t who) {
    auto& q = queues_[queue];
    q.slots.push_back({who, false});
    return q.left + q.slots.size() - 1;
  }
  void built(std::uint32_t queue, Ticket ticket) {
    auto& q = queues_[queue];
    q.slots[ticket - q.left].built = true;
  }
  /// The holder of the first slot if it is built; it leaves. Nobody if the first one still builds.
  std::optional<std::uint32_t> next(std::uint32_t queue);

 private:
  struct Slot {
    std::uint32_t who;
    bool built;
  };
  struct Queue {
    std::deque<Slot> slots;
    Ticket left = 0;  ///< tickets that have had their turn
  };
  std::vector<Queue> queues_;
};

/// What a flush of the probe's queue waits for: everything that is reserved when it begins.
class Flush {
 public:
  void reserved() { ++reserved_; }
  /// @return when a waiting flush ends, if these were the last messages it waits for
  std::optional<double> rang(double done) {
    ++rung_;
    last_done_ = done;
    if (!waits_ || rung_ < target_) return std::nullopt;
    waits_ = false;
    return done;
  }
  /// @return when the flush ends, or nothing: it waits for messages that are being built
  std::optional<double> begin(double now) {
    target_ = reserved_;
    waits_ = rung_ < target_;
    if (waits_) return std::nullopt;
    return last_done_ > now ? last_done_ : now;
  }

 private:
  std::uint64_t reserved_ = 0, rung_ = 0, target_ = 0;
  double last_done_ = 0;
  bool waits_ = false;
};

class Streams : public Traffic {
 public:
  Streams(World& world, bool idle);
  void start() override;
  void handle(const Event& event) override;
  std::optional<double> admit_probe(double now) override;
  void reserve_probe(double now) override;
  void submit_probe(double now) override;
  std::string waiting() const override;
  double submitter_busy_us() const override { return busy_; }
  double section_busy_us() const override { return sections_.busy_us(); }
  double run_length() const override { return sections_.mean_announced(); }

 private:
  struct Stream {
    Outstanding outstanding;
    Itinerary itinerary;
    double began = 0;
    Reservations::Ticket ticket = 0;  ///< of the batch it builds
    std::uint32_t ahead = 0;          ///< batches built or being built that wait for their turn
    bool held = false;                ///< may go on when one of them has had it
  };
  static constexpr std::uint32_t the_probe = UINT32_MAX;
  bool probe_shares() const;
  void begin(std::uint32_t s, double now);
  void build(std::uint32_t s, double now);
  void start_build(std::uint32_t s, double now);
  void freed(std::uint32_t queue, double now);
  void built(std::uint32_t s, double now);
  void publish(std::uint32_t queue, double now);
  void doorbell(std::uint32_t s, double now);
  void build_ahead(std::uint32_t s, double now);

  World& world_;
  bool idle_;
  bool in_order_;  ///< slots are published as they were reserved
  bool crowded_;   ///< a queue pair's streams could ask for more slots than it has
  std::vector<Stream> streams_;
  Sections sections_;
  Reservations reservations_;
  Reservations::Ticket probe_ticket_ = 0;
  Room room_;
  Flush flush_;
  double busy_ = 0;
};

}  // namespace qpcast::simgrid
