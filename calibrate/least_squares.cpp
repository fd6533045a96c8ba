#include "calibrate/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace qpcast::calibrate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd huber_weights(const VectorXd& r, double k) {
  return r.unaryExpr([k](double v) { return std::abs(v) <= k ? 1.0 : k / std::abs(v); });
}

double cost_of(const Objective& o, const VectorXd& x, const VectorXd& r) {
  const double k = o.huber;
  const double data = r.unaryExpr([k](double v) {
                         const double a = std::abs(v);
                         return a <= k ? a * a : 2 * k * a - k * k;
                       }).sum();
  const VectorXd drift = x - o.prior;
  if (o.precision.size() > 0) return data + drift.dot(o.precision * drift);
  return data + ((x - o.prior).cwiseQuotient(o.spread)).squaredNorm();
}

VectorXd clamp(const Objective& o, const VectorXd& x) {
  return x.cwiseMax(o.lowest).cwiseMin(o.highest);
}

struct Normal {
  MatrixXd matrix;
  VectorXd gradient;
};

Normal normal_equations(const Objective& o, const VectorXd& x, const VectorXd& r,
                        const MatrixXd& jacobian, const VectorXd& weights) {
  if (o.precision.size() > 0)
    return {jacobian.transpose() * weights.asDiagonal() * jacobian + o.precision,
            jacobian.transpose() * weights.cwiseProduct(r) + o.precision * (x - o.prior)};
  const VectorXd precision = o.spread.cwiseAbs2().cwiseInverse();
  Normal n;
  n.matrix = jacobian.transpose() * weights.asDiagonal() * jacobian;
  n.matrix.diagonal() += precision;
  n.gradient = jacobian.transpose() * weights.cwiseProduct(r) + precision.cwiseProduct(x - o.prior);
  return n;
}

}  // namespace

MatrixXd differentiate(const Objective& objective, const VectorXd& x, double step) {
  MatrixXd jacobian;
  VectorXd moved = x;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    moved[j] = x[j] + step;
    const VectorXd up = objective.residuals(moved);
    moved[j] = x[j] - step;
    const VectorXd down = objective.residuals(moved);
    moved[j] = x[j];
    if (jacobian.size() == 0) jacobian.resize(up.size(), x.size());
    jacobian.col(j) = (up - down) / (2 * step);
  }
  return jacobian;
}

Optimum minimise(const Objective& o, const VectorXd& start, int max_iterations) {
  Optimum best;
  best.x = clamp(o, start);
  best.residuals = o.residuals(best.x);
  best.cost = cost_of(o, best.x, best.residuals);
  double damping = 1e-3;
  for (; best.iterations < max_iterations; ++best.iterations) {
    const MatrixXd jacobian = o.jacobian(best.x);
    const VectorXd weights = huber_weights(best.residuals, o.huber);
    const auto normal = normal_equations(o, best.x, best.residuals, jacobian, weights);
    const double before = best.cost;
    for (int attempt = 0; attempt < 12 && best.cost == before; ++attempt) {
      MatrixXd damped = normal.matrix;
      damped.diagonal() *= 1 + damping;
      const VectorXd x = clamp(o, best.x - damped.ldlt().solve(normal.gradient));
      const VectorXd r = o.residuals(x);
      const double cost = cost_of(o, x, r);
      if (cost < best.cost) {
        best.x = x;
        best.residuals = r;
        best.cost = cost;
        damping = std::max(1e-9, damping / 5);
      } else {
        damping *= 4;
      }
    }
    if (before - best.cost <= 1e-10 * (1 + before)) break;
  }
  best.jacobian = o.jacobian(best.x);
  best.weights = huber_weights(best.residuals, o.huber);
  const auto normal = normal_equations(o, best.x, best.residuals, best.jacobian, best.weights);
  best.covariance = normal.matrix.ldlt().solve(MatrixXd::Identity(o.prior.size(), o.prior.size()));
  return best;
}

Optimum minimise_many(const Objective& objective, int starts) {
  std::mt19937_64 generator{20261201};
  std::normal_distribution<double> normal;
  auto best = minimise(objective, objective.prior);
  for (int k = 1; k < starts; ++k) {
    VectorXd start = objective.prior;
    for (Index j = 0; j < start.size(); ++j) start[j] += objective.spread[j] * normal(generator);
    auto candidate = minimise(objective, start);
    if (candidate.cost < best.cost - 1e-9) best = std::move(candidate);
  }
  return best;
}

}  // namespace qpcast::calibrate
