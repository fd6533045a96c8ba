/// Identifiability: what the data could not determine, what it cannot tell apart, and which
/// experiments would.
///
/// Nothing here is a table: an experiment is a list of layouts and metrics, its rows' derivatives
/// with respect to every parameter that they read give the covariance that its measurement would
/// leave,
///
///   C' = (C^-1 + G^T G / s^2)^-1        G: d log prediction / d log parameter; s = 5 % a row,
///
/// and an experiment determines a parameter when it leaves less than half of the prior's sd.
#pragma once

#include <string>
#include <vector>

#include "model/library.hpp"
#include "model/measurement.hpp"
#include "model/platform.hpp"

namespace qpcast::calibrate {

/// What could be measured: rows without values.
struct Experiment {
  std::string name;
  std::vector<Measurement> rows;
};

/// A parameter that the data left open.
struct OpenParameter {
  std::string name, unit;
  double value = 0;
  double prior_sd = 0, posterior_sd = 0;  ///< of the logarithm
  bool read = true;                       ///< some row depends on it
  struct Remedy {
    std::string experiment;
    double sd = 0;  ///< that would be left
  };
  std::vector<Remedy> remedies;  ///< experiments that would determine it, best first
};

/// Two parameters that the data determines only together.
struct CorrelatedPair {
  std::string first, second;
  double correlation = 0;
};

struct Identifiability {
  std::vector<OpenParameter> open;         ///< in the platform's order
  std::vector<CorrelatedPair> correlated;  ///< |correlation| >= 0.9, strongest first
};

/// @param experiments  that could be run on this platform
/// @throws InputError for an unknown preset
Identifiability identify(const Platform& platform, const Presets& presets,
                         const std::vector<Experiment>& experiments);

}  // namespace qpcast::calibrate
