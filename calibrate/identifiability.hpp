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
  std::string name;               ///< as `measure --experiment` takes it
  std::vector<Measurement> rows;  ///< layouts and metrics that it would measure; values unused
};

/// A parameter that the data left open.
struct OpenParameter {
  std::string name;         ///< "mechanism.parameter"
  std::string unit;         ///< of the value
  double value = 0;         ///< the platform's, in its unit
  double prior_sd = 0;      ///< of the value's logarithm, before any row
  double posterior_sd = 0;  ///< of the value's logarithm, after the rows
  bool read = true;         ///< some row depends on it
  /// An experiment that would determine it.
  struct Remedy {
    std::string experiment;  ///< its name
    double sd = 0;           ///< of the value's logarithm, that would be left
  };
  std::vector<Remedy> remedies;  ///< experiments that would determine it, best first
};

/// Two parameters that the data determines only together.
struct CorrelatedPair {
  std::string first, second;  ///< names of the parameters
  double correlation = 0;     ///< of their logarithms, -1 to 1
};

/// What the rows of a platform leave open.
struct Identifiability {
  std::vector<OpenParameter> open;         ///< in the platform's order
  std::vector<CorrelatedPair> correlated;  ///< |correlation| >= 0.9, strongest first
};

/// @param experiments  that could be run on this platform
/// @throws InputError for an unknown preset
Identifiability identify(const Platform& platform, const Presets& presets,
                         const std::vector<Experiment>& experiments);

}  // namespace qpcast::calibrate
