/// What every subcommand needs: where the data is, how to print, how to fail.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/library.hpp"
#include "model/platform.hpp"
#include "model/prediction.hpp"
#include "model/simgrid/options.hpp"
#include "validate/compare.hpp"

namespace qpcast::cli {

/// Exit statuses of the contract.
enum Exit : int {
  ok = 0,
  out_of_tolerance = 1,
  no_advice = 1,  ///< nothing keeps the constraints
  bad_input = 2,
  device_failed = 3,
  interrupted = 130
};

/// Registers one subcommand; its callback stores the exit status in `status`.
void add_platforms(CLI::App& app, int& status);
void add_predict(CLI::App& app, int& status);
void add_sweep(CLI::App& app, int& status);
void add_advise(CLI::App& app, int& status);
void add_validate(CLI::App& app, int& status);
void add_calibrate(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_measure(CLI::App& app, int& status);
void add_import(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);

/// Refuses "nan", which CLI11's ranges let through.
CLI::Validator a_number();

/// Source named in messages about arguments.
inline const std::string command_line = "command line";

/// A platform by name (data/platforms) or by path of a .json file.
/// @throws InputError naming `option`, which gave it, and the known platforms
Platform load_platform(const std::string& name_or_path, const char* option = "--platform");
std::map<std::string, Platform> load_platforms();
Presets load_presets();

/// `key=value` arguments to a checked layout. @throws InputError
Layout parse_arguments(const std::vector<std::string>& items, const std::string& library);

/// `--solver` and what only the discrete-event one reads.
struct SolverChoice {
  std::string name = "analytic";
  SimulationOptions simulation;
  bool simulated() const { return name == "simgrid"; }
};
/// Registers --solver, --seed, --messages and --half-width, and --trace where one layout is
/// forecast.
void add_solver(CLI::App& sub, SolverChoice& choice, bool one_layout);

/// Forecasts layouts on one platform; for one thread at a time.
using Forecaster = std::function<Prediction(const Layout&, const LibraryPreset*)>;
Forecaster make_forecaster(const SolverChoice& choice, const Platform& platform);
/// Answers rows of any of the platforms. `platforms` and `presets` must outlive it.
validate::Answerer make_answerer(const SolverChoice& choice,
                                 const std::map<std::string, Platform>& platforms,
                                 const Presets& presets);

}  // namespace qpcast::cli
