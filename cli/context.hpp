/// What every subcommand needs: where the data is, how to print, how to fail.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "model/library.hpp"
#include "model/platform.hpp"
#include "model/simgrid/simgrid_solver.hpp"

namespace qpcast::cli {

/// Exit statuses of the contract.
enum Exit : int {
  ok = 0,
  out_of_tolerance = 1,
  bad_input = 2,
  device_failed = 3,
  interrupted = 130
};

/// Registers one subcommand; its callback stores the exit status in `status`.
void add_platforms(CLI::App& app, int& status);
void add_predict(CLI::App& app, int& status);
void add_sweep(CLI::App& app, int& status);
void add_validate(CLI::App& app, int& status);
void add_calibrate(CLI::App& app, int& status);
void add_measure(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);

/// Source named in messages about arguments.
inline const std::string command_line = "command line";

/// A platform by name (data/platforms) or by path of a .json file.
/// @throws InputError naming the known platforms
Platform load_platform(const std::string& name_or_path);
std::map<std::string, Platform> load_platforms();
Presets load_presets();

/// --seed, --messages and --half-width of the discrete-event solver.
void add_simulation_options(CLI::App& sub, SimulationOptions& options);

/// `key=value` arguments to a checked layout. @throws InputError
Layout parse_arguments(const std::vector<std::string>& items, const std::string& library);

}  // namespace qpcast::cli
