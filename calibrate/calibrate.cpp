#include "calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/checks.hpp"
#include "calibrate/problem.hpp"
#include "calibrate/starts.hpp"
#include "model/error.hpp"

namespace qpcast::calibrate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double z90 = 1.6449;
/// A parameter counts as determined when the rows halve what was believed before.
constexpr double determined_below = 0.5;
/// A row depends on a parameter when 1 % of the parameter moves it by 0.1 %.
constexpr double dependence = 0.1;
constexpr double outlier_beyond = 3;  // standard deviations of the row

struct Fit {
  Problem& problem;
  Objective objective;
  Optimum optimum;

  /// Observations on the platform an unknown belongs to; everyone's have all of them.
  int observations(Index unknown) const {
    const auto& u = problem.unknowns()[static_cast<std::size_t>(unknown)];
    int n = 0;
    for (const auto& d : problem.data()) n += problem.reads(d.platform, u) ? 1 : 0;
    return n;
  }
  bool determined(Index unknown) const {
    return observations(unknown) >= fewest_rows &&
           determined(unknown, std::sqrt(optimum.covariance(unknown, unknown)));
  }
  bool determined(Index unknown, double sd) const {
    return sd < determined_below * objective.spread[unknown];
  }
  /// |d log prediction / d log parameter| of a row.
  double elasticity(Index row, Index unknown) const {
    const auto& d = problem.data()[static_cast<std::size_t>(row)];
    const double scale = d.row->statistic == Statistic::delta ? std::abs(d.row->value) : 1;
    return std::abs(optimum.jacobian(row, unknown)) * d.sd / scale;
  }
};

/// The fit without one row, refitted from where all rows led. Four iterations are within half a
/// point of a converged refit on all published rows but one, which is 9 points off its 50 % error.
Optimum leave_out(const Fit& fit, Index row) {
  constexpr int iterations = 4;
  auto o = fit.objective;
  const auto& all = fit.objective;
  o.residuals = [&all, row](const VectorXd& x) {
    VectorXd r = all.residuals(x);
    r[row] = 0;
    return r;
  };
  o.jacobian = [&all, row](const VectorXd& x) {
    MatrixXd j = all.jacobian(x);
    j.row(row).setZero();
    return j;
  };
  return minimise(o, fit.optimum.x, iterations);
}

void report_left_out(const Fit& fit, Index row, const Measurement& m, RowFit& r) {
  const auto left = leave_out(fit, row);
  const double without = fit.problem.predict(left.x)[row];
  r.left_out_predicted = reported(m.metric, without);
  r.left_out_error = relative_error(m, without);
  r.determined_elsewhere = true;
  for (Index u = 0; u < left.x.size(); ++u)
    if (fit.elasticity(row, u) > dependence && !fit.determined(u, std::sqrt(left.covariance(u, u))))
      r.determined_elsewhere = false;
}

std::vector<RowFit> report_rows(const Fit& fit, bool leave_one_out) {
  const auto& data = fit.problem.data();
  const VectorXd predicted = fit.problem.predict(fit.optimum.x);
  std::vector<RowFit> rows;
  for (Index i = 0; i < predicted.size(); ++i) {
    const auto& m = *data[static_cast<std::size_t>(i)].row;
    RowFit r;
    r.id = m.id;
    r.platform = m.platform;
    r.metric = m.metric;
    r.measured = m.value;
    r.predicted = reported(m.metric, predicted[i]);
    r.error = relative_error(m, predicted[i]);
    if (leave_one_out) report_left_out(fit, i, m, r);
    r.outlier = std::abs(fit.optimum.residuals[i]) > outlier_beyond;
    rows.push_back(r);
  }
  return rows;
}

std::vector<Fitted> fitted_rows(const Fit& fit) {
  const VectorXd predicted = fit.problem.predict(fit.optimum.x);
  std::vector<Fitted> rows;
  for (Index i = 0; i < predicted.size(); ++i)
    rows.push_back({fit.problem.data()[static_cast<std::size_t>(i)].row, predicted[i],
                    std::abs(fit.optimum.residuals[i]) > outlier_beyond});
  return rows;
}

/// Rows that speak of an unknown, strongest first, until nine tenths of the information is named.
std::vector<std::string> determining_rows(const Fit& fit, Index unknown) {
  const auto column = fit.optimum.jacobian.col(unknown);
  const VectorXd information = fit.optimum.weights.cwiseProduct(column.cwiseAbs2());
  const double total = information.sum();
  // Whole per cent of the information, so that ties keep the rows' order on any machine.
  std::vector<std::pair<long, Index>> ranked;
  for (Index i = 0; i < information.size(); ++i)
    if (information[i] > 0) ranked.emplace_back(-std::lround(100 * information[i] / total), i);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> ids;
  double named = 0;
  for (const auto& [negative, i] : ranked) {
    if (named > 0.9 * total) break;
    named += information[i];
    ids.push_back(fit.problem.data()[static_cast<std::size_t>(i)].row->id);
  }
  return ids;
}

/// Whether the rows moved an inherited unknown or narrowed what is believed of it.
bool refitted(const Fit& fit, Index unknown) {
  constexpr double narrowed = 0.9, moved = 0.5;  // of the prior's standard deviation
  const double prior_sd = fit.objective.spread[unknown];
  const double drift = std::abs(fit.optimum.x[unknown] - fit.objective.prior[unknown]);
  return drift > moved * prior_sd ||
         std::sqrt(fit.optimum.covariance(unknown, unknown)) < narrowed * prior_sd;
}

/// Whether a value is still the parent's. One that facts of this platform decide, such as a line
/// rate, is not, whatever the rows say.
bool kept(const Parameter& inherited, double value) {
  constexpr double same = 0.05;  // relative; a small part of what any row could tell
  return std::abs(std::log(value / inherited.value)) < same;
}

/// Provenance of a parameter that has a parent: the rows', the parent's, or nobody's.
void inherit_provenance(const Fit& fit, Index unknown, const Platform& parent, Parameter& p) {
  const auto* inherited = fit.problem.inherited(static_cast<std::size_t>(unknown));
  if (!inherited || refitted(fit, unknown)) return;
  if (kept(*inherited, p.value)) {
    p.provenance = inherited->provenance;
    p.note = fmt::format("kept from {}", parent.name);
    p.rows = inherited->rows;
    return;
  }
  p.provenance = Provenance::assumed;
  p.note =
      fmt::format("not determined by these rows; {} has {:.4g}", parent.name, inherited->value);
  p.rows.clear();
}

Parameter report_parameter(const Fit& fit, Index unknown, const std::string& name) {
  const auto& info = fit.problem.info(static_cast<std::size_t>(unknown));
  const double sd = std::sqrt(fit.optimum.covariance(unknown, unknown));
  Parameter p;
  p.name = name;
  p.unit = info.unit;
  p.value = std::exp(fit.optimum.x[unknown]);
  p.lo = std::max(info.lowest, p.value * std::exp(-z90 * sd));
  p.hi = std::min(info.highest, p.value * std::exp(z90 * sd));
  p.provenance = fit.determined(unknown) ? Provenance::fitted : Provenance::assumed;
  p.rows = determining_rows(fit, unknown);
  if (p.provenance == Provenance::assumed) p.note = "rows tell little: mostly prior belief";
  return p;
}

/// Unknowns that a platform reads: everyone's, its NIC's, its own.
std::vector<Index> unknowns_of(const Problem& problem, int platform) {
  std::vector<Index> mine;
  for (std::size_t u = 0; u < problem.unknowns().size(); ++u)
    if (problem.reads(platform, problem.unknowns()[u])) mine.push_back(static_cast<Index>(u));
  return mine;
}

/// Parameters of this platform or its NIC that no row reads: carried as assumptions.
void add_assumed(const Fit& fit, int platform, Platform& p) {
  for (const auto& info : parameter_table()) {
    if (p.find(info.name) || info.scope == Scope::physics) continue;
    // An adapter runs no program, and a program has no ceiling beside its own time.
    const bool hardware = fit.problem.facts(platform).nic_kind == NicKind::hardware;
    const bool program = info.mechanism == "software_nic" || info.mechanism == "paced_nic";
    if (program || (!hardware && info.mechanism == "nic_engine")) continue;
    const bool line = info.name == "wire.line_rate";
    const bool unit = info.name == "host.speed";
    const double value = line ? fit.problem.facts(platform).link_gbit_per_s / 8 : info.prior;
    const bool by_definition = unit && fit.problem.facts(platform).reference;
    const double sd = by_definition ? 0 : info.prior_spread;
    p.parameters.push_back({std::string{info.name},
                            std::string{info.unit},
                            value,
                            value * std::exp(-z90 * sd),
                            value * std::exp(z90 * sd),
                            by_definition ? Provenance::published : Provenance::assumed,
                            {},
                            by_definition ? "1 by definition on the reference platform"
                            : line        ? "nominal link rate"
                                          : "no row on this platform speaks of it"});
  }
}

Platform report_platform(const Fit& fit, int platform, const std::string& source,
                         const Discrepancy& discrepancy, const Platform* parent) {
  Platform p;
  p.name = fit.problem.platforms().at(static_cast<std::size_t>(platform));
  p.facts = fit.problem.facts(platform);
  p.discrepancy = discrepancy;
  p.calibrated_from = source;
  for (const auto& d : fit.problem.data())
    if (d.platform == platform && d.row->source.kind == "emulated") p.emulated = true;
  for (const auto& d : fit.problem.data())
    if (d.platform == platform && d.row->source.kind != "published")
      if (auto text = d.row->layout.to_string();
          std::find(p.layouts.begin(), p.layouts.end(), text) == p.layouts.end())
        p.layouts.push_back(std::move(text));
  const auto mine = unknowns_of(fit.problem, platform);
  for (const auto u : mine) {
    const auto& name = fit.problem.unknowns()[static_cast<std::size_t>(u)].name;
    p.parameters.push_back(report_parameter(fit, u, name.substr(0, name.find('@'))));
    if (parent) inherit_provenance(fit, u, *parent, p.parameters.back());
  }
  add_assumed(fit, platform, p);
  const auto n = p.parameters.size();
  p.covariance.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < mine.size() && i < mine.size(); ++j)
      p.covariance[i * n + j] = fit.optimum.covariance(mine[i], mine[j]);
    if (i >= mine.size()) {
      const auto& q = p.parameters[i];
      const double sd = std::log(q.hi / q.value) / z90;
      p.covariance[i * n + i] = sd * sd;
    }
  }
  return p;
}

std::vector<Transferred> report_transfer(const Fit& fit, const std::vector<Platform>& platforms) {
  std::vector<Transferred> list;
  for (std::size_t k = 0; k < platforms.size(); ++k) {
    const auto mine = unknowns_of(fit.problem, static_cast<int>(k));
    for (std::size_t i = 0; i < platforms[k].parameters.size(); ++i) {
      const auto& p = platforms[k].parameters[i];
      Transferred t{platforms[k].name, p.name, p.unit, Transferred::Fate::assumed, 0,
                    p.value,           p.lo,   p.hi};
      const bool unknown = i < mine.size();
      const auto* inherited =
          unknown ? fit.problem.inherited(static_cast<std::size_t>(mine[i])) : nullptr;
      if (inherited) t.parent = inherited->value;
      if (unknown && refitted(fit, mine[i]))
        t.fate = Transferred::Fate::refitted;
      else if (inherited && inherited->provenance != Provenance::assumed &&
               kept(*inherited, p.value))
        t.fate = Transferred::Fate::kept;
      list.push_back(t);
    }
  }
  return list;
}

std::vector<MechanismSupport> report_mechanisms(const Fit& fit) {
  std::map<std::string, MechanismSupport> by_name;
  std::map<std::string, std::set<Index>> rows;
  for (std::size_t u = 0; u < fit.problem.unknowns().size(); ++u) {
    const std::string name{fit.problem.info(u).mechanism};
    const auto column = static_cast<Index>(u);
    auto& support = by_name[name];
    support.mechanism = name;
    support.parameters += fit.determined(column) ? 1 : 0;
    for (Index i = 0; i < fit.optimum.residuals.size(); ++i)
      if (fit.elasticity(i, column) > dependence) rows[name].insert(i);
  }
  std::vector<MechanismSupport> list;
  for (auto& [name, support] : by_name) {
    support.rows = static_cast<int>(rows[name].size());
    list.push_back(support);
  }
  return list;
}

struct Spread {
  double squares = 0, rows = 0;
};

/// Weighted squares of the log residuals of one kind of metric.
Spread spread_of(const Fit& fit, bool (*kind)(Metric)) {
  Spread s;
  for (std::size_t i = 0; i < fit.problem.data().size(); ++i) {
    const auto& d = fit.problem.data()[i];
    const double scale = d.row->statistic == Statistic::delta ? std::abs(d.row->value) : 1;
    const double sd = d.sd / scale;
    const double weight = fit.optimum.weights[static_cast<Index>(i)];
    const double r = fit.optimum.residuals[static_cast<Index>(i)] * sd;
    if (sd > 0.2) continue;  // rows whose own range is wide say nothing of model error
    if (!kind(d.row->metric)) continue;
    s.squares += weight * r * r;
    s.rows += 1;
  }
  return s;
}

/// Model error: the part of the log residuals that row noise and rounding do not explain. Few rows
/// of a kind say little of it, so that the others' count as ten of them.
Discrepancy discrepancy_of(const Fit& fit, double effective) {
  constexpr double borrowed = 10, least = 1e-4;
  const auto probes = spread_of(fit, [](Metric m) { return is_probe(m); });
  const auto rates = spread_of(fit, [](Metric m) { return is_rate(m) && !is_probe(m); });
  const auto times = spread_of(fit, [](Metric m) { return !is_rate(m) && !is_probe(m); });
  // What answers a probe is no part of what others do, so that they borrow of each other alone.
  const double rows = times.rows + rates.rows;
  const double left = std::max(1 / std::max(1.0, rows + probes.rows),
                               1 - effective / static_cast<double>(fit.problem.data().size()));
  const double all = rows > 0 ? (times.squares + rates.squares) / rows : least;
  const auto of = [&](const Spread& s) {
    return std::sqrt(std::max(least, (s.squares + borrowed * all) / (s.rows + borrowed) / left));
  };
  return {of(times), of(rates), of(probes)};
}

Discrepancy widest(const Discrepancy& a, const Discrepancy& b) {
  return {std::max(a.times, b.times), std::max(a.rates, b.rates), std::max(a.probes, b.probes)};
}

double effective_parameters(const Fit& fit) {
  const MatrixXd information =
      fit.optimum.jacobian.transpose() * fit.optimum.weights.asDiagonal() * fit.optimum.jacobian;
  return (fit.optimum.covariance * information).trace();
}

}  // namespace

const char* fate_name(Transferred::Fate fate) {
  return fate == Transferred::Fate::kept       ? "kept"
         : fate == Transferred::Fate::refitted ? "refitted"
                                               : "assumed";
}

Calibration calibrate(const std::vector<Measurement>& rows,
                      const std::map<std::string, PlatformFacts>& facts, const Presets& presets,
                      const std::string& source, const Options& options) {
  auto checked = check_rows(rows, options.accept);
  check_units(checked.rows, facts, presets, options.accept, checked.warnings);
  Problem problem{checked.rows, facts, presets, options.parent};
  if (problem.data().empty()) throw InputError{source, "", "no row is covered by a mechanism"};
  Fit fit{problem, problem.objective(), {}};
  fit.optimum = minimise_many(fit.objective, options.starts);
  fit.optimum = improved(fit.optimum, fit.objective,
                         saturated_starts(problem, fit.objective.prior, fit.optimum.x));
  fit.optimum = improved(fit.optimum, fit.objective, onset_starts(problem, fit.optimum.x));

  Calibration result;
  result.warnings = std::move(checked.warnings);
  check_fit(fitted_rows(fit), options.accept, result.warnings);
  if (options.profile) result.profile = profile_intervals(problem, fit.optimum);
  if (options.bootstrap > 0)
    result.bootstrap =
        bootstrap_intervals(problem, fit.optimum, options.bootstrap, options.seed, [&](int done) {
          if (options.progress) options.progress("bootstrap", double(done) / options.bootstrap);
        });
  result.effective_parameters = effective_parameters(fit);
  result.discrepancy = discrepancy_of(fit, result.effective_parameters);
  // A few rows cannot show that the parent's mechanisms have become better.
  if (options.parent) result.discrepancy = widest(result.discrepancy, options.parent->discrepancy);
  result.rows = report_rows(fit, options.leave_one_out);
  for (const auto& [row, reason] : problem.not_modelled())
    result.not_modelled.emplace_back(row->id, reason);
  result.mechanisms = report_mechanisms(fit);
  for (std::size_t u = 0; u < problem.unknowns().size(); ++u)
    ++(fit.determined(static_cast<Index>(u)) ? result.free_parameters : result.assumed_parameters);
  for (std::size_t p = 0; p < problem.platforms().size(); ++p)
    result.platforms.push_back(
        report_platform(fit, static_cast<int>(p), source, result.discrepancy, options.parent));
  if (options.parent) result.transferred = report_transfer(fit, result.platforms);
  return result;
}

}  // namespace qpcast::calibrate
