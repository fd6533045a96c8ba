/// Search of a space for the best layout, and for the least change that comes close to it.
///
/// Branch and bound: a box whose bound (forecast.hpp) does not exceed what is already known, or
/// which cannot keep a constraint, is skipped whole; else it is halved. The results are those of
/// evaluating every point, which `exhaustive` does and a test compares. Choices are not ordered, so
/// every combination of them starts a box of its own.
#pragma once

#include <functional>
#include <optional>

#include "model/advise/forecast.hpp"

namespace qpcast::advise {

struct Found {
  Point point{};
  Layout layout;
  Forecast forecast;
  double score = 0;
  double distance = 0;  ///< from the library's default, in doublings
};

struct SearchCount {
  std::uint64_t evaluated = 0;  ///< layouts forecast (a layout asked for twice counts twice)
  std::uint64_t bounded = 0;    ///< boxes bounded
  bool complete = true;         ///< false: the budget of boxes ran out before the proof
};

struct SearchOptions {
  bool exhaustive = false;          ///< evaluate every layout
  std::uint64_t boxes = 4'000'000;  ///< bounded at most, per search
  std::function<void()> progress;   ///< called now and then
};

class Search {
 public:
  Search(const Space& space, Forecaster& forecaster, SearchOptions options = {});

  /// The best layout that keeps the constraints; nothing if none does.
  std::optional<Found> best();
  /// The layout nearest to the default among those whose score is at least `threshold`; the better
  /// one of two that are equally near.
  std::optional<Found> nearest(double threshold);

  const SearchCount& count() const { return count_; }

 private:
  struct Node {
    Box box;
    Forecast bound;
    double score = 0, distance = 0;
  };
  std::optional<Found> evaluate(const Point& point);
  /// Its bound; nothing when no point can keep the constraints.
  std::optional<Node> bound(const Box& box);
  std::vector<Node> roots();
  std::pair<Box, Box> halves(const Box& box) const;
  Point closest(const Box& box) const;
  bool out_of_budget();
  template <class Visit>
  void each(Visit visit);
  bool keeps(const Forecast& forecast) const;

  const Space& space_;
  Forecaster& forecaster_;
  SearchOptions options_;
  SearchCount count_;
  std::uint64_t started_at_ = 0;  ///< boxes bounded before this search
};

}  // namespace qpcast::advise
