/// Bounded nonlinear least squares with Gaussian priors: Levenberg-Marquardt over Eigen.
///
///   minimise  sum_i rho(r_i(x))  +  sum_j ((x_j - prior_j) / spread_j)^2
///
/// or, with correlated priors, (x - prior)^T precision (x - prior) as the second term.
///
/// r_i are residuals in units of their standard deviation; rho is Huber's loss, quadratic within
/// `huber` deviations. Bounds are kept by clamping each step. Deterministic.
#pragma once

#include <Eigen/Dense>
#include <functional>

namespace qpcast::calibrate {

struct Objective {
  /// Residuals at x, each in units of its standard deviation.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& x)> residuals;
  /// d residuals / d x at x. `differentiate` serves where there is nothing faster.
  std::function<Eigen::MatrixXd(const Eigen::VectorXd& x)> jacobian;
  Eigen::VectorXd prior, spread, lowest, highest;
  /// Inverse covariance of the prior, where it has correlations; empty: 1 / spread^2 each.
  Eigen::MatrixXd precision = {};
  double huber = 2.5;
};

struct Optimum {
  Eigen::VectorXd x;
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;    ///< d residual / d x at x, unweighted
  Eigen::VectorXd weights;     ///< Huber weight of each residual, 1 inside
  Eigen::MatrixXd covariance;  ///< (J^T W J + prior precision)^-1
  double cost = 0;
  int iterations = 0;
};

/// Central differences of the residuals; `step` in x. Dense: every residual, every parameter.
Eigen::MatrixXd differentiate(const Objective& objective, const Eigen::VectorXd& x,
                              double step = 1e-4);

/// Minimises from `start`. Stops at a relative cost change below 1e-10 or `max_iterations`.
Optimum minimise(const Objective& objective, const Eigen::VectorXd& start,
                 int max_iterations = 200);

/// Minimises from the prior and from `starts - 1` draws around it, and keeps the best. Bounds of a
/// pipeline are minima of several stations, so one start can settle where a parameter that should
/// bind does not. Draws are from a fixed seed.
Optimum minimise_many(const Objective& objective, int starts);

}  // namespace qpcast::calibrate
