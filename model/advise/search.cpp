#include "model/advise/search.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace qpcast::advise {

namespace {

/// Scores closer than this are equal: the closed network is solved to 1e-9.
constexpr double tie = 1e-7;

bool better(const Found& a, const Found& b) {
  if (a.score > b.score * (1 + tie)) return true;
  return a.score >= b.score * (1 - tie) && a.distance < b.distance;
}

/// Nearer; of equally near ones the better; of equally good ones the first in the space.
bool nearer(const Found& a, const Found& b) {
  if (a.distance != b.distance) return a.distance < b.distance;
  if (a.score != b.score) return a.score > b.score;
  return a.point < b.point;
}

}  // namespace

Search::Search(const Space& space, Forecaster& forecaster, SearchOptions options)
    : space_{space}, forecaster_{forecaster}, options_{std::move(options)} {}

bool Search::keeps(const Forecast& f) const {
  const auto& c = space_.request().constraints;
  return (!c.max_latency || f.latency <= *c.max_latency) && (!c.min_rate || f.rate >= *c.min_rate);
}

std::optional<Found> Search::evaluate(const Point& point) {
  auto layout = space_.layout(point);
  if (!space_.refused(layout).empty()) return std::nullopt;
  ++count_.evaluated;
  if (options_.progress && count_.evaluated % 4096 == 0) options_.progress();
  const auto forecast = forecaster_.at(layout);
  if (!keeps(forecast)) return std::nullopt;
  return Found{point, std::move(layout), forecast, score(space_.request().goal, forecast),
               space_.distance(point)};
}

Point Search::closest(const Box& box) const {
  Point p = box.lo;
  const auto& axes = space_.axes();
  for (std::size_t a = 0; a < axes.size(); ++a)
    p.at(a) = std::clamp(static_cast<std::uint32_t>(axes[a].nearest()), box.lo.at(a), box.hi.at(a));
  return p;
}

std::optional<Search::Node> Search::bound(const Box& box) {
  // Counts rise along every axis, so the lowest corner needs the least.
  const auto& c = space_.request().constraints;
  const auto least = space_.layout(box.lo);
  if (c.queue_pairs && space_.queue_pairs(least) > *c.queue_pairs) return std::nullopt;
  if (c.cores && space_.cores(least) > *c.cores) return std::nullopt;
  ++count_.bounded;
  if (options_.progress && count_.bounded % 4096 == 0) options_.progress();
  Node node{box, forecaster_.bound(space_, box), 0, space_.distance(closest(box))};
  auto margin = node.bound;  // rounding of two solutions of nearly the same network
  margin.rate *= 1 + tie;
  margin.latency /= 1 + tie;
  if (!keeps(margin)) return std::nullopt;
  node.score = score(space_.request().goal, node.bound);
  return node;
}

/// One box for every combination of choices.
std::vector<Search::Node> Search::roots() {
  const auto& axes = space_.axes();
  std::vector<Box> boxes(1);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto last = static_cast<std::uint32_t>(axes[a].values.size() - 1);
    if (!axes[a].is_choice()) {
      for (auto& b : boxes) b.hi.at(a) = last;
      continue;
    }
    std::vector<Box> split;
    for (const auto& b : boxes)
      for (std::uint32_t i = 0; i <= last; ++i) {
        split.push_back(b);
        split.back().lo.at(a) = split.back().hi.at(a) = i;
      }
    boxes = std::move(split);
  }
  std::vector<Node> nodes;
  for (const auto& b : boxes)
    if (auto node = bound(b)) nodes.push_back(*node);
  return nodes;
}

/// Halves of the axis whose values span the largest ratio.
std::pair<Box, Box> Search::halves(const Box& box) const {
  const auto& axes = space_.axes();
  std::size_t widest = 0;
  double span = -1;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (box.lo.at(a) == box.hi.at(a)) continue;
    const double ratio = (axes[a].values[box.hi.at(a)] + 1) / (axes[a].values[box.lo.at(a)] + 1);
    if (ratio > span) {
      span = ratio;
      widest = a;
    }
  }
  const auto middle = (box.lo.at(widest) + box.hi.at(widest)) / 2;
  auto low = box, high = box;
  low.hi.at(widest) = middle;
  high.lo.at(widest) = middle + 1;
  return {low, high};
}

bool Search::out_of_budget() {
  if (count_.bounded - started_at_ < options_.boxes) return false;
  count_.complete = false;
  return true;
}

template <class Visit>
void Search::each(Visit visit) {
  const auto axes = space_.axes().size();
  Point p{};
  for (std::uint64_t i = space_.size(); i > 0; --i) {
    if (const auto found = evaluate(p)) visit(*found);
    for (std::size_t a = axes; a-- > 0;) {
      if (++p.at(a) < space_.axes()[a].values.size()) break;
      p.at(a) = 0;
    }
  }
}

std::optional<Found> Search::best() {
  std::optional<Found> best;
  const auto offer = [&](const std::optional<Found>& found) {
    if (found && (!best || better(*found, *best))) best = found;
  };
  if (options_.exhaustive) {
    each(offer);
    return best;
  }
  started_at_ = count_.bounded;
  const auto less = [](const Node& a, const Node& b) { return a.score < b.score; };
  std::priority_queue<Node, std::vector<Node>, decltype(less)> open{less, roots()};
  while (!open.empty() && !out_of_budget()) {
    const auto node = open.top();
    open.pop();
    if (best && node.score <= best->score * (1 + tie)) break;
    offer(evaluate(node.box.hi));
    offer(evaluate(closest(node.box)));
    if (node.box.points(space_.axes().size()) == 1) continue;
    const auto [low, high] = halves(node.box);
    for (const auto& half : {low, high})
      if (const auto child = bound(half)) open.push(*child);
  }
  return best;
}

std::optional<Found> Search::nearest(double threshold) {
  std::optional<Found> nearest;
  const auto offer = [&](const std::optional<Found>& found) {
    if (found && found->score >= threshold && (!nearest || nearer(*found, *nearest)))
      nearest = found;
  };
  if (options_.exhaustive) {
    each(offer);
    return nearest;
  }
  started_at_ = count_.bounded;
  const auto farther = [](const Node& a, const Node& b) { return a.distance > b.distance; };
  std::priority_queue<Node, std::vector<Node>, decltype(farther)> open{farther, {}};
  for (const auto& node : roots())
    if (node.score >= threshold * (1 - tie)) open.push(node);
  while (!open.empty() && !out_of_budget()) {
    const auto node = open.top();
    open.pop();
    if (nearest && node.distance > nearest->distance) break;
    offer(evaluate(closest(node.box)));
    if (node.box.points(space_.axes().size()) == 1) continue;
    const auto [low, high] = halves(node.box);
    for (const auto& half : {low, high}) {
      const auto child = bound(half);
      if (child && child->score >= threshold * (1 - tie)) open.push(*child);
    }
  }
  return nearest;
}

}  // namespace qpcast::advise
