#include "model/advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/advise/draws.hpp"
#include "model/error.hpp"

namespace qpcast::advise {

namespace {

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

class Adviser {
 public:
  Adviser(const Platform& platform, const LibraryPreset& preset, const Request& request,
          const Simulate& simulate, const Options& options)
      : platform_{platform},
        space_{request, preset, platform.facts},
        forecaster_{platform, preset},
        simulate_{simulate},
        options_{options},
        search_{space_, forecaster_, options.search} {}

  Advice run() {
    Advice a;
    a.library = space_.preset().name;
    a.axes = space_.axes();
    a.space = space_.size();
    a.draws = options_.draws;
    a.seed = options_.seed;
    a.metric = metric();
    const auto base = space_.base();
    base_forecast_ = forecaster_.at(base);
    a.base = describe(base, {});
    a.base.gain = {1, 1, 1};
    a.base_refused = broken(base, base_forecast_);
    const auto found = candidates(a);
    a.searched = search_.count();
    weigh(a, found);
    confirm(a);
    decide(a);
    return a;
  }

 private:
  Goal goal() const { return space_.request().goal; }
  Metric metric() const {
    return metric_of(goal(), space_.request().fixed.number(Key::background_ctas, 0) > 0);
  }
  /// The goal's metric of a score: a latency's score is its inverse.
  double as_metric(double s) const { return goal() == Goal::latency ? 1 / s : s; }

  /// The constraint that a layout breaks by more than `slack`; empty if it keeps all.
  std::string broken(const Layout& layout, const Forecast& f, double slack = 0) const {
    if (auto why = space_.refused(layout); !why.empty()) return why;
    const auto& c = space_.request().constraints;
    if (c.max_latency && f.latency > *c.max_latency * (1 + slack))
      return fmt::format("latency {:.4g} us, above {:.4g}", f.latency, *c.max_latency);
    if (c.min_rate && f.rate < *c.min_rate * (1 - slack))
      return fmt::format("{:.4g} Mmsg/s, below {:.4g}", f.rate, *c.min_rate);
    return {};
  }

  Candidate describe(const Layout& layout, const Point* point) const {
    Candidate c;
    c.layout = layout;
    c.queue_pairs = space_.queue_pairs(layout);
    AnalyticSolver solver{platform_};
    const auto answer = solver.answer({metric(), Statistic::value, {layout, &space_.preset()}, {}});
    c.predicted = answer.estimate;
    c.warnings = answer.warnings;
    if (!point) return c;
    for (std::size_t k = 0; k < space_.axes().size(); ++k) {
      const auto& axis = space_.axes()[k];
      const double value = axis.values[point->at(k)];
      if (value != axis.base)
        c.changes.push_back(
            {axis.name, axis.how, axis.meaning, axis.spelling(value), axis.spelling(axis.base)});
    }
    return c;
  }

  /// The least changes that reach so much of the best.
  std::vector<Found> candidates(Advice& a) {
    std::vector<Found> out;
    const auto best = search_.best();
    if (!best) return out;
    a.best = as_metric(best->score);
    const double base = a.base_refused.empty() ? score(goal(), base_forecast_) : 0;
    std::vector<double> thresholds{(1 - smallest_gain) * best->score};
    for (const double part : {0.9, 0.75, 0.5})
      thresholds.push_back(base + part * (best->score - base));
    for (const double threshold : thresholds) {
      auto found = search_.nearest(std::min(threshold, thresholds.front()));
      if (!found) found = best;  // the budget ran out before the nearest was found
      const bool known = std::any_of(out.begin(), out.end(),
                                     [&](const Found& f) { return f.point == found->point; });
      if (!known && found->distance > 0) out.push_back(*found);
    }
    return out;
  }

  /// Gains and risks, every candidate under the same draws.
  void weigh(Advice& a, const std::vector<Found>& found) {
    for (const auto& f : found) {
      a.candidates.push_back(describe(f.layout, &f.point));
      a.candidates.back().gain.value = f.score / score(goal(), base_forecast_);
    }
    if (found.empty()) return;
    const auto median = forecaster_.values();
    ParameterDraws draws{platform_, forecaster_.values(), options_.seed};
    std::vector<std::vector<double>> gains(found.size());
    for (int i = 0; i < options_.draws; ++i) {
      draws.draw(forecaster_.values());
      const double base = score(goal(), forecaster_.at(a.base.layout)) * unexplained(draws);
      for (std::size_t k = 0; k < found.size(); ++k)
        gains[k].push_back(score(goal(), forecaster_.at(found[k].layout)) * unexplained(draws) /
                           base);
    }
    forecaster_.values() = median;
    for (std::size_t k = 0; k < found.size(); ++k) {
      auto& g = gains[k];
      std::sort(g.begin(), g.end());
      auto& c = a.candidates[k];
      const auto worse = std::lower_bound(g.begin(), g.end(), 1.0) - g.begin();
      c.worse_share = static_cast<double>(worse) / static_cast<double>(g.size());
      c.gain.lo = quantile(g, 0.05);
      c.gain.hi = quantile(g, 0.95);
    }
  }

  /// The best of the space under other constraints than were asked for.
  std::optional<Found> best_under(const Constraints& constraints, Goal goal) {
    auto request = space_.request();
    request.constraints = constraints;
    request.goal = goal;
    const Space space{request, space_.preset(), platform_.facts};
    return Search{space, forecaster_, options_.search}.best();
  }

  /// The constraint that no layout keeps even by itself, with what the space has at best; or that
  /// none keeps them all together.
  std::string unmet() {
    const auto& all = space_.request().constraints;
    const auto alone = [&](auto set) {
      Constraints one;
      set(one);
      return !best_under(one, goal());
    };
    if (all.queue_pairs && alone([&](auto& c) { c.queue_pairs = all.queue_pairs; }))
      return fmt::format("--qp-budget {:g}", *all.queue_pairs);
    if (all.cores && alone([&](auto& c) { c.cores = all.cores; }))
      return fmt::format("--cores {:g}", *all.cores);
    if (all.isolate && alone([&](auto& c) { c.isolate = true; })) return "--isolate";
    if (all.max_latency && alone([&](auto& c) { c.max_latency = all.max_latency; })) {
      const auto least = best_under({}, Goal::latency);
      return fmt::format(
          "--max-latency {:g}{}", *all.max_latency,
          least ? fmt::format(": {:.4g} us is the least", least->forecast.latency) : "");
    }
    if (all.min_rate && alone([&](auto& c) { c.min_rate = all.min_rate; })) {
      const auto most = best_under({}, Goal::rate);
      return fmt::format(
          "--min-rate {:g}{}", *all.min_rate,
          most ? fmt::format(": {:.4g} Mmsg/s is the most", most->forecast.rate) : "");
    }
    return "all constraints together, though each by itself can be kept";
  }

  double unexplained(ParameterDraws& draws) const {
    return std::exp(platform_.discrepancy.of(metric()) * draws.normal());
  }

  void confirm(Advice& a) {
    a.base.simulated = simulate_(a.base.layout);
    a.base.simulated_gain = 1;
    for (auto& c : a.candidates) {
      c.simulated = simulate_(c.layout);
      const double ratio = c.simulated.goal / a.base.simulated.goal;
      c.simulated_gain = goal() == Goal::latency ? 1 / ratio : ratio;
      if (c.simulated_gain < 1 - largest_loss)
        c.dropped = fmt::format("the simulator puts it {:.0f} % below the default",
                                100 * (1 - c.simulated_gain));
      else if (auto why =
                   broken(c.layout, {c.simulated.rate, 0, c.simulated.latency}, largest_loss);
               !why.empty())
        c.dropped = "simulated: " + why;
    }
  }

  void decide(Advice& a) {
    const auto granted = [](const Candidate& c) {
      return c.dropped.empty() ? std::min(c.gain.value, c.simulated_gain) : 0;
    };
    double gain = 0;
    for (const auto& c : a.candidates) gain = std::max(gain, granted(c));
    // Candidates come with ever smaller changes: the last that gives up less than 1 %.
    for (std::size_t k = a.candidates.size(); k-- > 0;) {
      if (granted(a.candidates[k]) < (1 - smallest_gain) * gain) continue;
      const auto chosen = a.candidates.begin() + static_cast<std::ptrdiff_t>(k);
      std::rotate(a.candidates.begin(), chosen, chosen + 1);
      break;
    }
    if (a.best == 0) {
      a.verdict = Verdict::none;
      a.reason = "no layout of the space keeps " + unmet();
    } else if (!a.base_refused.empty()) {
      a.verdict = gain > 0 ? Verdict::change : Verdict::none;
      a.reason = gain > 0 ? "the default breaks a constraint: " + a.base_refused
                          : "what keeps the constraints was dropped; the default breaks one: " +
                                a.base_refused;
    } else if (gain < 1 + smallest_gain) {
      a.verdict = Verdict::keep;
      a.reason = a.candidates.empty()
                     ? "no setting gains 1 %"
                     : "no candidate gains 1 % in both solvers without a loss in either";
    } else {
      a.verdict = Verdict::change;
    }
  }

  const Platform& platform_;
  const Space space_;
  Forecaster forecaster_;
  const Simulate& simulate_;
  const Options& options_;
  Search search_;
  Forecast base_forecast_;
};

}  // namespace

Advice advise(const Platform& platform, const LibraryPreset& preset, const Request& request,
              const Simulate& simulate, const Options& options) {
  return Adviser{platform, preset, request, simulate, options}.run();
}

}  // namespace qpcast::advise
