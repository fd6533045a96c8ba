#include "calibrate/least_squares.hpp"

#include <catch2/catch.hpp>

using namespace qpcast::calibrate;
using Eigen::VectorXd;

namespace {

/// y = exp(a) + exp(b) t at ten points.
Objective line(double a, double b, double outlier = 0) {
  Objective o;
  o.residuals = [=](const VectorXd& x) {
    VectorXd r(10);
    for (int t = 0; t < 10; ++t) {
      const double truth = std::exp(a) + std::exp(b) * t + (t == 5 ? outlier : 0);
      r[t] = (std::exp(x[0]) + std::exp(x[1]) * t - truth) / 0.1;
    }
    return r;
  };
  o.jacobian = [o](const VectorXd& x) { return differentiate(o, x); };
  o.prior = VectorXd::Zero(2);
  o.spread = VectorXd::Constant(2, 100.0);
  o.lowest = VectorXd::Constant(2, -10.0);
  o.highest = VectorXd::Constant(2, 10.0);
  return o;
}

}  // namespace

TEST_CASE("an exact model is recovered", "[fit]") {
  const auto best = minimise(line(0.7, -1.2), VectorXd::Zero(2));
  CHECK(best.x[0] == Approx(0.7).epsilon(1e-4));
  CHECK(best.x[1] == Approx(-1.2).epsilon(1e-4));
}

TEST_CASE("one outlier moves a robust fit little and a plain one much", "[fit]") {
  auto robust = line(0.7, -1.2, 20);
  auto plain = robust;
  plain.huber = 1e9;
  const double off_robust = std::abs(minimise(robust, VectorXd::Zero(2)).x[0] - 0.7);
  const double off_plain = std::abs(minimise(plain, VectorXd::Zero(2)).x[0] - 0.7);
  CHECK(off_robust < 0.1);
  CHECK(off_plain > 5 * off_robust);
}

TEST_CASE("bounds are kept and a prior without data is the answer", "[fit]") {
  auto o = line(0.7, -1.2);
  o.highest[0] = 0.5;
  CHECK(minimise(o, VectorXd::Zero(2)).x[0] <= 0.5);
  o = line(0, 0);
  o.residuals = [](const VectorXd&) { return VectorXd::Zero(10); };
  o.jacobian = [o](const VectorXd& x) { return differentiate(o, x); };
  o.prior[1] = 2;
  const auto best = minimise(o, VectorXd::Zero(2));
  CHECK(best.x[1] == Approx(2));
  CHECK(std::sqrt(best.covariance(1, 1)) == Approx(100));
}
