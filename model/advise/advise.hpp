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
  std::string name, how, meaning;
  std::string value, base;  ///< as the library writes them
};

/// The second opinion on one layout: goal metric, latency in us, rate in Mmsg/s.
struct Simulated {
  double goal = 0, latency = 0, rate = 0;
};
/// Simulates a layout; throws what the simulator throws.
using Simulate = std::function<Simulated(const Layout&)>;

struct Candidate {
  Layout layout;
  std::vector<Change> changes;
  double queue_pairs = 0;  ///< of one PE
  Estimate predicted;      ///< the goal's metric, in its unit
  Estimate gain;           ///< factor over the default; point forecast and 90 % of the draws
  double worse_share = 0;  ///< share of the draws in which it is worse than the default
  Simulated simulated;
  double simulated_gain = 0;
  std::string dropped;  ///< why it is not recommended; empty if it could be
  std::vector<std::string> warnings;
};

enum class Verdict : std::uint8_t { change, keep, none };

struct Advice {
  std::string library;
  Verdict verdict = Verdict::keep;
  std::string reason;
  Metric metric = Metric::rate;
  Candidate base;                     ///< the library's default; no changes
  std::string base_refused;           ///< which constraint the default breaks; empty if none
  std::vector<Candidate> candidates;  ///< the recommended one first, if any
  double best = 0;                    ///< the goal's metric of the best layout of the space
  std::vector<Axis> axes;
  std::uint64_t space = 0;
  SearchCount searched;
  int draws = 0;
  std::uint64_t seed = 0;
};

struct Options {
  int draws = 1000;
  std::uint64_t seed = 1;
  SearchOptions search;
};

/// Advice for one library. `simulate` is asked for the default and for every candidate.
/// @throws InputError as Space does
Advice advise(const Platform& platform, const LibraryPreset& preset, const Request& request,
              const Simulate& simulate, const Options& options = {});

}  // namespace qpcast::advise
