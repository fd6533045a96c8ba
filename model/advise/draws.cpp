#include "model/advise/draws.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "model/error.hpp"

namespace qpcast::advise {

struct ParameterDraws::Root {
  Eigen::MatrixXd matrix;
};

namespace {

/// S with S S' = C; eigenvalues that rounding made negative count as 0.
Eigen::MatrixXd square_root(const std::vector<double>& covariance, Eigen::Index n) {
  const Eigen::Map<const Eigen::MatrixXd> c{covariance.data(), n, n};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen{c};
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

}  // namespace

ParameterDraws::~ParameterDraws() = default;

ParameterDraws::ParameterDraws(const Platform& platform, ParameterValues& values,
                               std::uint64_t seed)
    : root_{std::make_unique<Root>()}, generator_{seed} {
  const auto n = platform.parameters.size();
  if (!platform.covariance.empty()) {
    if (platform.covariance.size() != n * n)
      throw InputError{platform.name, "covariance", "does not match the parameters"};
    for (const auto& p : platform.parameters) listed_.push_back(values.find(p.name).value());
    root_->matrix = square_root(platform.covariance, static_cast<Eigen::Index>(n));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    median_.push_back(values[i]);
    alone_.push_back(values.info(i).prior_spread);
  }
  for (const auto i : listed_) alone_.at(i) = 0;
}

void ParameterDraws::draw(ParameterValues& values) {
  std::vector<double> log(median_.size());
  for (std::size_t i = 0; i < log.size(); ++i)
    if (alone_[i] > 0) log[i] = alone_[i] * normal();
  Eigen::VectorXd z{static_cast<Eigen::Index>(listed_.size())};
  for (auto& v : z) v = normal();
  if (!listed_.empty()) z = root_->matrix * z;
  for (std::size_t k = 0; k < listed_.size(); ++k)
    log[listed_[k]] = z(static_cast<Eigen::Index>(k));
  for (std::size_t i = 0; i < log.size(); ++i) {
    const auto& info = values.info(i);
    values[i] = std::clamp(median_[i] * std::exp(log[i]), std::min(info.lowest, median_[i]),
                           std::max(info.highest, median_[i]));
  }
}

}  // namespace qpcast::advise
