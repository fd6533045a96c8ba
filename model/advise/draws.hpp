/// Random parameter values of a platform: draws from what its calibration leaves open.
///
/// Logarithms of the parameters are normal with the platform's covariance; a parameter that the
/// platform does not list, or any without a covariance, varies alone by its prior spread. Draws
/// stay within the bounds of model/parameters.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "model/platform.hpp"

namespace qpcast::advise {

class ParameterDraws {
 public:
  /// @param values  of the platform, with every cost profile that will be read
  ParameterDraws(const Platform& platform, ParameterValues& values, std::uint64_t seed);
  ~ParameterDraws();

  /// Overwrites the values with the next draw.
  void draw(ParameterValues& values);
  /// A number of the standard normal law, for what the parameters do not explain.
  double normal() { return normal_(generator_); }

 private:
  struct Root;  ///< square root of the covariance
  std::unique_ptr<Root> root_;
  std::vector<std::size_t> listed_;  ///< index of every parameter that the covariance speaks of
  std::vector<double> median_;       ///< of every value
  std::vector<double> alone_;        ///< sd of the logarithm of a value that varies alone
  std::mt19937_64 generator_;
  std::normal_distribution<double> normal_{0, 1};
};

}  // namespace qpcast::advise
