/// Live validation: forecasts written down before anything is measured, then compared.
///
/// The file of forecasts names platform, seed and device; a run that was stopped reads it back and
/// goes on, and forecasts of anything else are refused, so that no forecast can follow its
/// measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/measurement.hpp"
#include "model/prediction.hpp"
#include "validate/compare.hpp"

namespace qpcast::validate {

/// One forecast: of a row that is yet to be measured.
struct Forecast {
  std::string id;      ///< of the row
  std::string layout;  ///< `key=value;...`
  Metric metric = Metric::rate;
  Estimate estimate;                 ///< in metric_unit(metric)
  std::string reason;                ///< why there is none; empty: modelled
  std::string mechanism;             ///< that moves it most
  std::vector<std::string> outside;  ///< how the layout leaves the calibrated domain

  bool interpolates() const { return outside.empty(); }
  bool operator==(const Forecast& other) const;
};

/// What a live validation writes down before it measures.
struct ForecastFile {
  std::string platform;         ///< name
  std::string calibrated_from;  ///< of the platform file
  std::string nic;              ///< kind and device that will be measured
  std::string solver;           ///< that forecasts: analytic or simgrid
  std::uint64_t seed = 0;       ///< of the layouts, below 2^53: JSON carries it as a number
  std::vector<Forecast> forecasts;
};

/// "schema": "qpcast.forecast/1".
nlohmann::ordered_json to_json(const ForecastFile& file);
/// @throws InputError
ForecastFile read_forecasts(const std::filesystem::path& path);

/// Writes the forecasts, or, where the file is there, checks that it holds the same ones.
/// @return whether it was there
/// @throws InputError when the file holds other forecasts
bool commit_forecasts(const ForecastFile& file, const std::filesystem::path& path);

/// Errors and coverage of the whole, and of its two parts.
struct LiveSummary {
  Summary all, inside, outside;  ///< inside and outside of the calibrated domain
};

/// Forecasts beside what was measured.
struct LiveResult {
  Comparison comparison;                  ///< in the forecasts' order
  std::vector<std::string> not_measured;  ///< ids that were forecast and have no row
  double tolerance = 0;                   ///< relative, of the median
  LiveSummary summary() const;
  /// Median error within the tolerance, and nine in ten within `tail` times it.
  static constexpr double tail = 2.5;
  bool within_tolerance() const;
};

/// A measured row that answers another question than its layout asks (a CPU produced in place of
/// the GPU) is listed as not modelled, whatever was forecast.
/// @param rows  measured; one that was not forecast is an InputError, unless it is a goodput,
///              which is counted with its rate
LiveResult compare_live(const std::vector<Forecast>& forecasts,
                        const std::vector<Measurement>& rows, double tolerance);

/// "schema": "qpcast.live/1".
nlohmann::ordered_json to_json(const LiveResult& result, const ForecastFile& file);

}  // namespace qpcast::validate
