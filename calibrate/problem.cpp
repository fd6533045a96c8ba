#include "calibrate/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "model/error.hpp"

namespace qpcast::calibrate {

namespace {

/// Standard error of the median over passes that alternated over all rows, so that a drift of the
/// machine is in the spread: sqrt(pi / 2) of the mean's. Source: asymptotic normality of the
/// median.
std::optional<double> error_of_median(const Measurement& row) {
  constexpr double least = 0.05;
  const auto it = row.environment.find("passes.order");
  const bool alternated = it != row.environment.end() && it->second == "alternating";
  if (!alternated || !row.spread || row.passes < 2 || row.statistic != Statistic::value)
    return std::nullopt;
  return std::max(least, std::sqrt(std::numbers::pi / 2 / row.passes) * *row.spread);
}

/// Speeds are relative: one platform's host is the unit, unless its clock was observed.
bool defined_as_one(const ParameterInfo& p, const PlatformFacts& facts, bool has_parent) {
  return p.name == "host.speed" && (facts.reference || (facts.cpu_mhz == 0 && !has_parent));
}

/// Marks what every platform's rows read.
std::vector<std::vector<char>> usage(std::vector<AnalyticSolver>& solvers,
                                     const std::vector<Datum>& data) {
  std::vector<std::vector<char>> used(solvers.size());
  for (std::size_t p = 0; p < solvers.size(); ++p) used[p].assign(solvers[p].values().size(), 0);
  for (const auto& d : data) {
    const auto p = static_cast<std::size_t>(d.platform);
    solvers[p].values().track(&used[p]);
    solvers[p].point(d.question);
    solvers[p].values().track(nullptr);
  }
  return used;
}

}  // namespace

double noise_of(const Measurement& row) {
  if (const auto error = error_of_median(row)) return *error;
  constexpr double least = 0.05, z90_width = 3.29;
  const bool delta = row.statistic == Statistic::delta;
  const double scale = delta ? std::abs(row.value) : 1;
  double sd = std::max(least, row.spread.value_or(0));
  if (row.lo && row.hi && *row.hi > *row.lo) {
    const double width =
        delta ? (*row.hi - *row.lo) / scale : std::log(*row.hi / std::max(*row.lo, 1e-9 * *row.hi));
    sd = std::max(sd, width / z90_width);
  }
  return sd * scale;
}

double misfit(const Measurement& row, double predicted) {
  if (reported(row.metric, predicted) == row.value) return 0;
  if (row.statistic == Statistic::delta) return predicted - row.value;
  return std::log(std::max(predicted, 1e-12) / row.value);
}

double relative_error(const Measurement& row, double predicted) {
  return std::abs(reported(row.metric, predicted) - row.value) / std::abs(row.value);
}

Problem::Problem(const std::vector<Measurement>& rows,
                 const std::map<std::string, PlatformFacts>& facts, const Presets& presets,
                 const Platform* parent)
    : parent_{parent} {
  for (const auto& entry : facts) {
    const auto& name = entry.first;
    const auto& f = entry.second;
    const bool present = std::any_of(rows.begin(), rows.end(),
                                     [&](const Measurement& r) { return r.platform == name; });
    if (!present) continue;
    platform_names_.push_back(name);
    platform_facts_.push_back(f);
    Platform bare;
    bare.name = name;
    bare.facts = f;
    solvers_.emplace_back(bare);
    // Same order everywhere, so that one index means one parameter on every platform.
    auto& values = solvers_.back().values();
    values.profile(bare_gpu_profile);
    values.profile(bare_proxy_profile);
    for (const auto& [preset_name, preset] : presets) {
      values.profile(preset.profile);
      for (const auto& [cost, profile] : preset.profile_of)
        if (profile != LibraryPreset::no_cost) values.profile(profile);
      for (const auto& variant : preset.variants)
        if (variant.profile != LibraryPreset::no_cost) values.profile(variant.profile);
    }
    values.profile(bare_host_profile);
  }
  for (const auto& row : rows) {
    add_row(row, presets);
    const auto it = row.environment.find("virtual_machine");
    if (it != row.environment.end() && it->second == "yes") virtual_machine_ = true;
  }
  find_unknowns();
}

void Problem::add_row(const Measurement& row, const Presets& presets) {
  const auto at = std::find(platform_names_.begin(), platform_names_.end(), row.platform);
  if (at == platform_names_.end())
    throw InputError{row.id, "platform",
                     fmt::format("no facts for '{}'; add it to the platform facts", row.platform)};
  Datum d;
  d.row = &row;
  d.platform = static_cast<int>(at - platform_names_.begin());
  d.question = question_of(row, presets);
  d.sd = noise_of(row);
  if (auto reason = d.question.reason(); !reason.empty())
    not_modelled_.emplace_back(&row, std::move(reason));
  else
    data_.push_back(d);
}

void Problem::find_unknowns() {
  auto used = usage(solvers_, data_);
  // What the parent knows stays known, and moves with what it is correlated with.
  if (parent_)
    for (const auto& p : parent_->parameters)
      if (const auto at = solvers_.front().values().find(p.name); at && *at < used.front().size())
        for (auto& of_platform : used) of_platform[*at] = 1;
  const auto reference = std::find_if(platform_facts_.begin(), platform_facts_.end(),
                                      [](const PlatformFacts& f) { return f.reference; });
  const auto pinned = reference == platform_facts_.end() ? 0 : reference - platform_facts_.begin();
  const auto count = solvers_.front().values().size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& p = solvers_.front().values().info(i);
    const auto name = solvers_.front().values().name(i);
    std::set<int> added;
    for (std::size_t k = 0; k < solvers_.size(); ++k) {
      const int mine = owner(static_cast<int>(k), p.scope);
      const bool fixed =
          p.prior_spread <= 0 || (defined_as_one(p, platform_facts_[k], parent_ != nullptr) &&
                                  static_cast<std::ptrdiff_t>(k) == pinned);
      if (!used[k][i] || fixed || !added.insert(mine).second) continue;
      const auto& whose = p.scope == Scope::nic ? platform_facts_[k].nic : platform_names_[k];
      unknowns_.push_back(
          {i, mine, mine == Unknown::everyone ? name : fmt::format("{}@{}", name, whose)});
    }
  }
}

int Problem::owner(int platform, Scope scope) const {
  if (scope == Scope::physics) return Unknown::everyone;
  if (scope == Scope::platform) return platform;
  const auto first =
      std::find_if(platform_facts_.begin(), platform_facts_.end(),
                   [&](const PlatformFacts& f) { return f.nic == facts(platform).nic; });
  return static_cast<int>(first - platform_facts_.begin());
}

bool Problem::reads(int platform, const Unknown& unknown) const {
  const auto scope = solvers_.front().info(unknown.index).scope;
  return owner(platform, scope) == unknown.owner;
}

const PlatformFacts& Problem::facts(int platform) const {
  return platform_facts_.at(static_cast<std::size_t>(platform));
}

const ParameterInfo& Problem::info(std::size_t unknown) const {
  return solvers_.front().info(unknowns_.at(unknown).index);
}

void Problem::apply(const Eigen::VectorXd& x) {
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const double value = std::exp(x[static_cast<Eigen::Index>(u)]);
    for (std::size_t k = 0; k < solvers_.size(); ++k)
      if (reads(static_cast<int>(k), unknowns_[u]))
        solvers_[k].values()[unknowns_[u].index] = value;
  }
}

Eigen::VectorXd Problem::predict(const Eigen::VectorXd& x) {
  apply(x);
  Eigen::VectorXd out(static_cast<Eigen::Index>(data_.size()));
  for (std::size_t i = 0; i < data_.size(); ++i)
    out[static_cast<Eigen::Index>(i)] =
        solvers_[static_cast<std::size_t>(data_[i].platform)].point(data_[i].question);
  return out;
}

double Problem::residual(const Datum& d) {
  auto& solver = solvers_[static_cast<std::size_t>(d.platform)];
  return misfit(*d.row, solver.point(d.question)) / d.sd;
}

Eigen::VectorXd Problem::residuals(const Eigen::VectorXd& x) {
  apply(x);
  Eigen::VectorXd r(static_cast<Eigen::Index>(data_.size()));
  for (std::size_t i = 0; i < data_.size(); ++i)
    r[static_cast<Eigen::Index>(i)] = residual(data_[i]);
  return r;
}

Eigen::MatrixXd Problem::jacobian(const Eigen::VectorXd& x) {
  constexpr double step = 1e-4;
  apply(x);
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(data_.size()), x.size());
  std::vector<char> used;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const auto& d = data_[i];
    auto& values = solvers_[static_cast<std::size_t>(d.platform)].values();
    used.assign(values.size(), 0);
    values.track(&used);
    residual(d);
    values.track(nullptr);
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      const auto& unknown = unknowns_[u];
      if (!used[unknown.index] || !reads(d.platform, unknown)) continue;
      const double value = values[unknown.index];
      values[unknown.index] = value * std::exp(step);
      const double up = residual(d);
      values[unknown.index] = value * std::exp(-step);
      j(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(u)) =
          (up - residual(d)) / (2 * step);
      values[unknown.index] = value;
    }
  }
  return j;
}

namespace {

/// Clock of the reference platform's cold host, MHz. Source: arXiv 2610.01380, section C.1.
constexpr double reference_host_mhz = 2500;

/// A rate imposed on a program is below what programs reach, not near what adapters do.
bool of_paced_program(const ParameterInfo& p, const PlatformFacts* facts) {
  return facts && facts->nic_kind == NicKind::paced && p.name == "nic.ceiling";
}

/// What the data sheet already says of a platform parameter beats the table's general prior.
double prior_of(const ParameterInfo& p, const PlatformFacts* facts) {
  if (of_paced_program(p, facts)) return 1 / info(Param::soft_message).prior;
  if (facts && p.name == "wire.line_rate") return facts->link_gbit_per_s / 8;
  if (facts && p.name == "host.speed" && facts->cpu_mhz > 0)
    return facts->cpu_mhz / reference_host_mhz;
  return p.prior;
}

/// A virtual processor may not be running when work arrives for it: who waits for another thread
/// then waits for a host's time slice, thousands of times what polling takes.
double prior_spread_of(const ParameterInfo& p, const PlatformFacts* facts, bool virtual_machine) {
  if (of_paced_program(p, facts)) return info(Param::soft_message).prior_spread;
  constexpr double time_slice = 2.5;
  return virtual_machine && p.name == "proxy.pickup" ? time_slice : p.prior_spread;
}

}  // namespace

Objective Problem::objective() {
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  Objective o;
  o.prior.resize(n);
  o.spread.resize(n);
  o.lowest.resize(n);
  o.highest.resize(n);
  for (Eigen::Index u = 0; u < n; ++u) {
    const auto& unknown = unknowns_[static_cast<std::size_t>(u)];
    const auto& p = info(static_cast<std::size_t>(u));
    const auto* facts = unknown.owner < 0 ? nullptr : &this->facts(unknown.owner);
    o.prior[u] = std::log(prior_of(p, facts));
    o.spread[u] = prior_spread_of(p, facts, virtual_machine_);
    o.lowest[u] = std::log(p.lowest);
    o.highest[u] = std::log(p.highest);
  }
  if (parent_) inherit(o);
  o.residuals = [this](const Eigen::VectorXd& x) { return residuals(x); };
  o.jacobian = [this](const Eigen::VectorXd& x) { return jacobian(x); };
  return o;
}

const Parameter* Problem::inherited(std::size_t unknown) const {
  if (!parent_) return nullptr;
  const auto& name = unknowns_.at(unknown).name;
  return parent_->find(name.substr(0, name.find('@')));
}

/// The parent's values, and its covariance widened by what may differ here (transfer.hpp).
void Problem::inherit(Objective& o) const {
  const auto n = o.prior.size();
  Eigen::MatrixXd covariance = o.spread.cwiseAbs2().asDiagonal();
  const auto listed = parent_->parameters.size();
  std::vector<Eigen::Index> row(static_cast<std::size_t>(n), -1);
  for (Eigen::Index u = 0; u < n; ++u) {
    const auto* p = inherited(static_cast<std::size_t>(u));
    const auto& unknown = unknowns_[static_cast<std::size_t>(u)];
    const auto* own = unknown.owner < 0 ? nullptr : &facts(unknown.owner);
    const auto& table = info(static_cast<std::size_t>(u));
    // A fact of this platform beats the parent's value.
    if (!p || (own && prior_of(table, own) != table.prior)) continue;
    row[static_cast<std::size_t>(u)] = p - parent_->parameters.data();
    o.prior[u] = std::clamp(std::log(p->value), o.lowest[u], o.highest[u]);
  }
  const auto known = [&](Eigen::Index u) { return row[static_cast<std::size_t>(u)]; };
  for (Eigen::Index u = 0; u < n; ++u) {
    if (known(u) < 0) continue;
    for (Eigen::Index v = 0; v < n; ++v)
      if (known(v) >= 0 && !parent_->covariance.empty())
        covariance(u, v) = parent_->covariance[static_cast<std::size_t>(known(u)) * listed +
                                               static_cast<std::size_t>(known(v))];
  }
  for (Eigen::Index u = 0; u < n; ++u) {
    if (known(u) < 0) continue;
    const auto& unknown = unknowns_[static_cast<std::size_t>(u)];
    const auto scope = info(static_cast<std::size_t>(u)).scope;
    const bool same = scope == Scope::physics ||
                      (scope == Scope::nic && facts(unknown.owner).nic == parent_->facts.nic);
    const double widening = same ? parent_->discrepancy.largest() : o.spread[u];
    covariance(u, u) += widening * widening;
  }
  o.spread = covariance.diagonal().cwiseSqrt();
  o.precision = covariance.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
}

AnalyticSolver& Problem::solver_at(int platform, const Eigen::VectorXd& x) {
  apply(x);
  return solvers_.at(static_cast<std::size_t>(platform));
}

}  // namespace qpcast::calibrate
