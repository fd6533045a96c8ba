/// Pipeline: a layout on a platform, as latency terms and stations. Both solvers read this.
///
/// A mechanism contributes in two ways:
///  - `path`: time one lone operation spends, in a phase of its life;
///  - `work`: time a shared resource is held, per message and per batch (one doorbell sequence,
///    one warp's publication, or one post of a chain).
/// The station of a resource serves a message in  per_message + per_batch / batch.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/units.hpp"

namespace qpcast {

/// Phases in the life of one operation, in order.
enum class Phase : std::uint8_t {
  issue,        ///< the submitting thread, until its call returns
  transit,      ///< from there until the payload is visible at the target
  acknowledge,  ///< from visible until the CQE (or host completion) is written
  complete,     ///< the submitter noticing the completion, with its scope
  receive,      ///< the target noticing the payload, and the library's work to answer
};
inline constexpr std::size_t phase_count = 5;

/// What a message can wait for.
enum class Resource : std::uint8_t {
  submitter,  ///< a GPU thread, or a warp when a warp publishes together
  queue,      ///< the exclusive section of one shared queue pair
  worker,     ///< a CPU proxy worker
  lock,       ///< state that proxy workers share
  engine,     ///< the NIC's message engine
  wire,       ///< the link
};
inline constexpr std::size_t resource_count = 6;
const char* resource_name(Resource resource);

/// Time that one lone operation spends.
struct Term {
  const char* name;  ///< what it stands for; static storage
  Phase phase;
  Duration time;  ///< >= 0
};

/// How long a resource is held.
struct Station {
  double servers = 1;    ///< that work side by side, >= 1
  Duration per_message;  ///< >= 0
  Duration per_batch;    ///< >= 0
};

/// A probe that shares something with bulk traffic waits for the messages ahead of it.
struct Backlog {
  double messages = 0;       ///< outstanding ahead of the probe; < 0: the closed population
  double share_of_rate = 1;  ///< fraction of the carried rate that drains them
  bool one_way = false;      ///< the answer's direction is empty
};

class Pipeline {
 public:
  static constexpr std::size_t max_terms = 20;

  void path(const char* name, Phase phase, Duration time) {
    terms_.at(term_count_++) = Term{name, phase, time};  // more than max_terms: a bug, throws
    phase_time_[static_cast<std::size_t>(phase)] += time;
  }
  void work(Resource resource, Duration per_message, Duration per_batch = {}) {
    auto& s = station(resource);
    s.per_message += per_message;
    s.per_batch += per_batch;
  }
  /// Multiplies the work at a resource (contention).
  void scale(Resource resource, double factor) {
    auto& s = station(resource);
    s.per_message = s.per_message * factor;
    s.per_batch = s.per_batch * factor;
  }
  void servers(Resource resource, double count) { station(resource).servers = count; }

  Station& station(Resource r) { return stations_[static_cast<std::size_t>(r)]; }
  const Station& station(Resource r) const { return stations_[static_cast<std::size_t>(r)]; }
  /// Mean service time of one message at a resource.
  Duration service(Resource r) const {
    const auto& s = station(r);
    return s.per_message + s.per_batch / batch;
  }
  Duration total(Phase phase) const { return phase_time_[static_cast<std::size_t>(phase)]; }
  std::span<const Term> terms() const { return {terms_.data(), term_count_}; }

  double batch = 1;       ///< messages per batch
  double population = 0;  ///< messages outstanding at most; infinite: never waits
  double chain = 1;       ///< of those, messages that are posted and complete together
  Duration load_delay;    ///< added to transit at full NIC utilisation, linear in it
  Duration tail;          ///< added to a round trip at its 99th percentile
  Backlog backlog;
  bool loaded = false;  ///< background traffic runs beside the probe

 private:
  std::array<Term, max_terms> terms_{};
  std::size_t term_count_ = 0;
  std::array<Duration, phase_count> phase_time_{};
  std::array<Station, resource_count> stations_{};
};

struct Setup;
class ParameterValues;

/// Pipeline = f(Platform, Layout): every mechanism contributes in turn.
Pipeline build_pipeline(const Setup& setup, const ParameterValues& values);

}  // namespace qpcast
