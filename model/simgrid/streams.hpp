/// GPU streams: threads, or warps that publish together, each with batches of its own.
///
///   exclusive         build B WQEs, ring
///   lock-per-wqe      build one, wait for the queue's lock, ring inside it
///   thread-handoff    build B, wait for the slots reserved before, ring
///   warp-cooperative  the same with a warp as the stream
///
/// A queue's exclusive section passes in the order of requests. A stream waits when its share of
/// the send queue, or its window, is outstanding.
#pragma once

#include "model/simgrid/outstanding.hpp"
#include "model/simgrid/traffic.hpp"

namespace qpcast::simgrid {

/// Which connection a stream writes to: visits of `visit` messages, to its own connections.
class Itinerary {
 public:
  Itinerary(const Scene& scene, bool cyclic, std::uint32_t stream);
  std::uint32_t next(std::uint32_t messages, Random& random);

 private:
  std::uint32_t first_, stride_, count_, visit_;
  bool cyclic_;
  std::uint32_t at_ = 0, left_ = 0;
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

/// The probe's way through a GPU-built queue. Behind bulk traffic it waits for the sections
/// requested before its own, and where the library completes a whole context (per-peer, all-QP),
/// for everything that is outstanding in the shared one.
class GpuProbePath {
 public:
  /// Bulk messages went out on a queue.
  void note(std::uint32_t queue, const Nic::Passage& passage) {
    if (queue == 0) last_acknowledged_ = passage.acknowledged;
  }
  GpuProbePath(World& world, Sections& sections) : world_{world}, sections_{sections} {}
  void submit(double now, bool idle);
  void doorbell(double now);

 private:
  World& world_;
  Sections& sections_;
  double last_acknowledged_ = 0;
};

class Streams : public Traffic {
 public:
  Streams(World& world, bool idle);
  void start() override;
  void handle(const Event& event) override;
  void submit_probe(double now) override { probe_.submit(now, idle_); }
  std::string waiting() const override;
  double submitter_busy_us() const override { return busy_; }
  double section_busy_us() const override { return sections_.busy_us(); }
  double run_length() const override { return sections_.mean_announced(); }

 private:
  struct Stream {
    Outstanding outstanding;
    Itinerary itinerary;
    double began = 0;
  };
  void begin(std::uint32_t s, double now);
  void built(std::uint32_t s, double now);
  void doorbell(std::uint32_t s, double now);

  World& world_;
  bool idle_;
  std::vector<Stream> streams_;
  Sections sections_;
  GpuProbePath probe_;
  double busy_ = 0;
};

}  // namespace qpcast::simgrid
