/// Issuer: one rank's submitting side in an exchange: its doorbells, in order of time.
///
/// Streams (GPU threads, warps that publish together, or proxy workers) share out the rank's queue
/// pairs; each goes round its own, a visit at a time, and per doorbell builds n WQEs for
/// build_fixed + build_each * n. Where there are more streams than queue pairs several share one,
/// and a doorbell passes the queue's exclusive section in the order of requests. A stream waits
/// when its window or its share of the send queue is outstanding.
///
/// Memory grows with queue pairs and streams, not with messages.
#pragma once

#include <vector>

#include "model/fabric/workload.hpp"
#include "model/simgrid/agenda.hpp"
#include "model/simgrid/scene.hpp"

namespace qpcast::simgrid {

struct Doorbell {
  double time;   ///< when it rings, us
  double began;  ///< when the stream began its first WQE
  std::uint32_t stream, queue, target, messages;
};

class Issuer {
 public:
  Issuer(const Scene& scene, const SimulationOptions& options, std::vector<QueueLoad> queues,
         std::uint64_t seed);

  /// A doorbell is known to come. Its time is `next`.
  bool more();
  double next() const { return agenda_.next().time; }
  /// The next doorbell; its stream goes on, if its credit allows.
  Doorbell take();
  /// The doorbell's messages are complete at `done`.
  void completed(const Doorbell& doorbell, double done);

  double finished() const { return finished_; }  ///< last doorbell so far, us
  std::size_t queue_count() const { return queues_.size(); }

 private:
  static constexpr std::uint32_t unlimited_credit = UINT32_MAX;
  struct Stream {
    double began = 0;
    std::uint32_t queue = 0;        ///< where it is
    std::uint32_t in_visit = 0;     ///< messages left there before it moves on
    std::uint32_t messages = 0;     ///< of the doorbell in hand
    std::uint32_t outstanding = 0;  ///< doorbells that are not complete
    bool waits = false;             ///< for one of them
  };
  bool find_work(std::uint32_t s);
  void begin(std::uint32_t s, double now);
  void enter_section(std::uint32_t s, double now);
  double jittered(double us);

  const Scene& scene_;
  double jitter_;
  Random random_;
  std::vector<QueueLoad> queues_;
  std::vector<Stream> streams_;
  std::uint32_t credit_ = unlimited_credit;  ///< doorbells a stream may have outstanding
  std::vector<double> section_free_;
  Agenda agenda_;
  double finished_ = 0;
};

}  // namespace qpcast::simgrid
