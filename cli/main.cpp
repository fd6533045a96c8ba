#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/measure.hpp"
#include "hw/proxy/proxy.hpp"
#include "model/error.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Forecasts what a GPU-to-NIC communication layout delivers", "qpcast"};
  app.require_subcommand(1);
  qpcast::cli::add_measure(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const qpcast::InputError& error) {
    std::cerr << "qpcast: " << error.what() << '\n';
    return 2;
  } catch (const qpcast::hw::Interrupted& error) {
    std::cerr << "qpcast: " << error.what() << '\n';
    return 130;
  } catch (const std::exception& error) {
    std::cerr << "qpcast: " << error.what() << '\n';
    return 1;
  }
}
