/// Advice: which settings of a library to change for a goal, what that should gain, and how sure
/// that is.
///
/// 1. Search (search.hpp): the best score of the space, then the layouts nearest to the library's
///    default that reach 99 % of it, and 90, 75 and 50 % of the gain over the default. Small
///    changes that give up little are what people deploy.
/// 2. Risk: `draws` draws of the platform's parameters (draws.hpp), each with two independent
///    errors of the platform's discrepancy, one for the default and one for the candidate; the
///    share of draws in which the candidate is worse than the default.
/// 3. Confirmation: default and candidates are simulated. A candidate that the simulator puts more
///    than 5 % below the default, or more than 5 % beyond a bound, is dropped.
/// 4. Of what is left, the smallest change within 1 % of the largest gain that both solvers grant;
///    below 1 %, and where nothing is left, the advice is to keep the default.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/advise/search.hpp"
#include "model/analytic/analytic.hpp"

namespace qpcast::advise {

inline constexpr double largest_loss = 0.05;   ///< below the default, or beyond a bound
inline constexpr double smallest_gain = 0.01;  ///< worth a change

/// One setting that a candidate changes.
struct Change {
  std::string name;     ///< the library's own, such as NVSHMEM_IBGDA_NUM_RC_PER_PE
  std::string how;      ///< environment, argument, build or launch
  std::string meaning;  ///< for people
  std::string value;    ///< to be set, as the library writes it
  std::string base;     ///< the default, as the library writes it
};

/// The second opinion on one layout: goal metric, latency in us, rate in Mmsg/s.
struct Simulated {
  double goal = 0;     ///< in the metric's unit (measurement.hpp)
  double latency = 0;  ///< us
  double rate = 0;     ///< Mmsg/s
};
/// Simulates a layout; throws what the simulator throws.
using Simulate = std::function<Simulated(const Layout&)>;

/// A layout that could be advised.
struct Candidate {
  Layout layout;                ///< the request's keys with the changes
  std::vector<Change> changes;  ///< settings that differ from the default's, in the axes' order
  double queue_pairs = 0;       ///< of one PE
  Estimate predicted;           ///< the goal's metric, in its unit
  Estimate gain;                ///< factor over the default; point forecast and 90 % of the draws
  double worse_share = 0;     ///< share of the draws in which it is worse than the default, 0 to 1
  Simulated simulated;        ///< what the discrete-event solver says of it
  double simulated_gain = 0;  ///< factor over the simulated default; above 1 is better
  std::string dropped;        ///< why it is not recommended; empty if it could be
  std::vector<std::string> warnings;  ///< of the forecast: assumptions, ranges left
};

enum class Verdict : std::uint8_t {
  change,  ///< the first candidate is recommended
  keep,    ///< nothing gains enough over the default
  none,    ///< nothing keeps the constraints
};

/// What to set in one library, and what that stands on.
struct Advice {
  std::string library;                ///< the preset's name
  Verdict verdict = Verdict::keep;    ///< what to do
  std::string reason;                 ///< why; empty: a change of a default that breaks nothing
  Metric metric = Metric::rate;       ///< that the goal is about
  Candidate base;                     ///< the library's default; no changes
  std::string base_refused;           ///< which constraint the default breaks; empty if none
  std::vector<Candidate> candidates;  ///< the recommended one first, if any
  double best = 0;          ///< the goal's metric of the best layout of the space; 0: there is none
  std::vector<Axis> axes;   ///< what was searched
  std::uint64_t space = 0;  ///< points of the space
  SearchCount searched;     ///< how much of it was looked at
  int draws = 0;            ///< of the parameters, for gains and risk
  std::uint64_t seed = 0;   ///< of the draws
};

struct Options {
  int draws = 1000;        ///< of the parameters, at least 1
  std::uint64_t seed = 1;  ///< of the draws; same seed, same advice
  SearchOptions search;    ///< how thoroughly, and whom to tell of progress
};

/// Advice for one library. `simulate` is asked for the default and for every candidate.
/// @throws InputError as Space does
Advice advise(const Platform& platform, const LibraryPreset& preset, const Request& request,
              const Simulate& simulate, const Options& options = {});

}  // namespace qpcast::advise
