/// The layouts that a library's user can choose between, as a product of settings.
///
/// Axes: the settings that the preset lets `advise` propose, and the kernel launch (threads, SMs)
/// where the request leaves it open. Everything else is fixed: the request's own keys, and the
/// library's defaults. A setting that the library makes per peer (queue pairs, contexts) stands in
/// the layout times the peers; all of them carry traffic, so they are also its active connections.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/layout.hpp"
#include "model/library.hpp"
#include "model/platform.hpp"

namespace qpcast::advise {

enum class Goal : std::uint8_t { rate, latency, goodput };

/// What an advised layout must keep.
struct Constraints {
  std::optional<double> queue_pairs;  ///< of one PE, in total, at most
  std::optional<double> cores;        ///< CPU proxy workers at most
  std::optional<double> max_latency;  ///< us; of a put's completion, or a loaded probe's round trip
  std::optional<double> min_rate;     ///< Mmsg/s
  bool isolate = false;               ///< the probe has a queue of its own
};

/// What is asked.
struct Request {
  Goal goal = Goal::rate;
  double pes = 2;                             ///< processing elements; everybody talks to everybody
  double threads = 0;                         ///< GPU threads available; 0: as `fixed` says
  double sms = 0;                             ///< SMs available; 0: as `fixed` says
  Layout fixed;                               ///< the work and what is not to be changed
  std::map<Key, std::vector<double>> limits;  ///< settings confined to these values
  Constraints constraints;
};

/// @throws InputError unless the request says how many GPU threads submit, where the goal asks
void require_launch(const Request& request);

/// One thing that can be set.
struct Axis {
  Key key;
  std::string name;                                 ///< the library's own
  std::string how;                                  ///< environment, argument, build or launch
  std::string meaning;                              ///< for people
  const LibraryPreset::Setting* setting = nullptr;  ///< null for the launch
  std::vector<double> values;                       ///< ascending, each once
  double base = 0;        ///< the library's default, or all that is available
  bool per_peer = false;  ///< the layout's key is the value times the peers

  bool is_choice() const { return !field(key).choices.empty(); }
  /// Doublings from the default (each count plus one where 0 is a value); 1 for another choice.
  double distance(std::size_t index) const;
  /// The index nearest to the default.
  std::size_t nearest() const { return nearest_; }
  /// How the library writes a value.
  std::string spelling(double value) const;

  std::size_t nearest_ = 0;  ///< index nearest to the default; set by Space
};

/// A point of the space: one index per axis.
inline constexpr std::size_t max_axes = 8;
using Point = std::array<std::uint32_t, max_axes>;

class Space {
 public:
  /// @param preset  outlives the space
  /// @throws InputError for a goal that needs threads and has none, isolation without a probe or
  ///         of a library that has no queue to give, a limit on what cannot be set
  Space(const Request& request, const LibraryPreset& preset, const PlatformFacts& facts);

  const std::vector<Axis>& axes() const { return axes_; }
  /// Points, those that contradict themselves or a constraint included.
  std::uint64_t size() const;
  Layout layout(const Point& point) const;
  /// The library's default with the request's keys: what an advice is measured against.
  Layout base() const;
  double distance(const Point& point) const;

  /// Queue pairs of one PE: those set, or one per proxy worker, times peers.
  double queue_pairs(const Layout& layout) const;
  /// CPU workers of a layout; 0 where a GPU rings the doorbell.
  double cores(const Layout& layout) const;
  /// Why a layout cannot be had, whatever its performance; empty if it can.
  std::string refused(const Layout& layout) const;

  const Request& request() const { return request_; }
  const LibraryPreset& preset() const { return preset_; }

 private:
  template <class ValueOf>
  Layout layout_of(ValueOf value_of) const;
  void complete(Layout& layout) const;
  void add_settings();
  void add_launch(const PlatformFacts& facts);
  void add(Axis axis);
  Layout inherited(const Layout& layout) const;

  Request request_;
  const LibraryPreset& preset_;
  std::vector<Axis> axes_;
  double peers_;
};

}  // namespace qpcast::advise
