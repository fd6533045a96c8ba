#include <fmt/format.h>

#include <iostream>

#include "cli/context.hpp"
#include "model/error.hpp"
#include "model/nearest.hpp"

namespace {

using namespace qpcast;

/// One line on standard error, whatever the library's message looks like.
int complain(const std::string& message) {
  std::string line = message;
  for (auto& c : line)
    if (c == '\n') c = ' ';
  fmt::print(stderr, "qpcast: {}\n", line);
  return cli::bad_input;
}

/// CLI11's own errors, with the nearest subcommand where the first word is not one.
int complain_arguments(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> names;
  for (const auto* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  const std::string first = argc > 1 ? argv[1] : "";
  const bool known = std::find(names.begin(), names.end(), first) != names.end();
  if (first.empty() || first.starts_with('-') || known)
    return complain(fmt::format("{}: {}", cli::command_line, error.what()));
  return complain(fmt::format("{}: {}: unknown command; did you mean '{}'?", cli::command_line,
                              first, nearest(first, names)));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "qpcast forecasts what a GPU-to-NIC communication layout delivers, and says how sure it is."};
  app.require_subcommand(1);
  app.set_version_flag("--version", QPCAST_VERSION);
  app.footer(
      "Exit status: 0 done, 1 a validated row is out of tolerance or no advice keeps the\n"
      "constraints, 2 bad input, 3 a device, a peer or a measured point failed, 130 interrupted;\n"
      "finished rows are kept.\n"
      "Data is looked for in $QPCAST_DATA, beside the executable, and in the source tree.");
  int status = cli::ok;
  cli::add_platforms(app, status);
  cli::add_predict(app, status);
  cli::add_sweep(app, status);
  cli::add_advise(app, status);
  cli::add_validate(app, status);
  cli::add_report(app, status);
  cli::add_calibrate(app, status);
  cli::add_measure(app, status);
  cli::add_import(app, status);
  cli::add_completion(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return complain_arguments(app, e, argc, argv);
  } catch (const InputError& e) {
    return complain(e.what());
  } catch (const std::exception& e) {
    return complain(fmt::format("unexpected: {}", e.what()));
  }
  return status;
}
