/// Plans: which experiments are run, at which layouts.
///
/// Each experiment is a file of its own in this folder that adds its points to a plan. `quick`
/// takes under a minute; `full` covers the vocabulary.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "model/layout.hpp"
#include "model/measurement.hpp"

namespace qpcast::hw {

/// How a point is timed, and which metrics that yields.
enum class Method : std::uint8_t {
  latency,     ///< issue, put_completion
  round_trip,  ///< rtt, rtt_p99; carried_rate when there is bulk traffic
  rate,        ///< rate, goodput
};

struct Point {
  std::string experiment;
  Layout layout;
  Method method = Method::latency;
};

/// Id of the row that a point's metric becomes.
std::string row_id(const Point& point, Metric metric);

/// An experiment, or part of one, that this machine cannot run.
struct Skipped {
  std::string experiment;
  std::string reason;
};

/// What there is to measure with.
struct Scope {
  bool full = false;
  std::string kind;              ///< emulated, verbs, mlx5
  bool loopback = true;          ///< both ends on one NIC
  std::uint32_t processors = 1;  ///< bounds the proxy's workers
  std::string no_gpu;            ///< why GPU submitters cannot run; empty when they can
  std::string no_dc;             ///< why DC cannot run; empty when it can
  /// SM clocks to sweep, MHz; empty when clocks are not to be set.
  std::vector<std::uint32_t> sm_clocks = {};

  /// "threads=T;window=W" of a proxy whose `rings` rings have `outstanding` requests in flight
  /// altogether: a GPU feeds each ring by a thread of its own, a CPU all of them by one.
  std::string producers(int rings, int outstanding) const;
};

/// The scope of a machine as its rows describe it; a machine that rows do not describe has all.
void describe_scope(const std::map<std::string, std::string>& environment, const std::string& kind,
                    Scope& scope);

struct Plan {
  std::string name;
  std::vector<Point> points;
  std::vector<Skipped> skipped;
  std::uint32_t passes = 3;
  /// Pass by pass over all points, every other time in the opposite order, so that a machine whose
  /// speed drifts does so for every point alike; otherwise point by point.
  bool alternate = false;
  std::chrono::milliseconds pass_time{80};
  std::chrono::milliseconds warm_up{30};
  /// Load or idleness before a pass with host_state=warm or cold.
  std::chrono::milliseconds warm_time{0}, cold_time{0};

  void add(const std::string& experiment, std::string_view layout, Method method);
  void skip(const std::string& experiment, const std::string& reason);
};

/// @param experiments  names to keep; empty: all
/// @throws InputError for an unknown plan or experiment, naming the known ones
Plan make_plan(const std::string& name, Scope scope, const std::vector<std::string>& experiments);

/// Where the GPU cannot ring the NIC's doorbell, every submitter=gpu becomes cpu-assisted: the
/// layouts say so, points that this makes equal are kept once, and the reason is among what was
/// skipped.
void assist_doorbells(Plan& plan, const std::string& reason);

/// GPU threads submit what says submitter=gpu or cpu-assisted.
bool gpu_submits(const Layout& layout);

/// Replaces a plan's points by layouts of the caller's choice. Method: a layout with background
/// CTAs makes round trips, one with a window a rate, any other both kinds of latency; a GPU's a
/// rate when it names several threads, a batch or a publication, else the latency of one put.
/// @throws InputError for a layout that is malformed
void use_layouts(Plan& plan, const std::vector<std::string>& layouts);

/// Names of the experiments, in the order in which they run.
std::vector<std::string> experiment_names();

}  // namespace qpcast::hw
