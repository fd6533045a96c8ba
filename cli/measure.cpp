#include "hw/experiments/measure.hpp"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/context.hpp"
#include "cli/device.hpp"

namespace qpcast::cli {

namespace {

int run(const hw::MeasureOptions& options) {
  return with_device([&] {
    const auto failed = hw::measure(options, std::cout).failed;
    return failed == 0 ? ok : points_failed(failed, options.output);
  });
}

}  // namespace

void add_measure(CLI::App& app, int& status) {
  auto options = std::make_shared<hw::MeasureOptions>();
  auto* command = app.add_subcommand(
      "measure", "Run mini-gda and mini-proxy on a NIC; resumes where it stopped");
  command->add_option("--nic", options->nic, "emulated, verbs or mlx5")->capture_default_str();
  command->add_option("--plan", options->plan, "quick (under 60 s) or full")->capture_default_str();
  command->add_option("-o,--output", options->output, "JSONL file; finished rows are kept");
  command->add_option("--platform", options->platform, "name of the platform in the rows");
  command->add_option("--experiment", options->experiments, "only this one; may be repeated");
  command->add_option("--layout", options->layouts,
                      "measure 'key=value;...' instead of the plan's layouts; may be repeated");
  command->add_option("--emulate", options->emulate,
                      "what the emulated NIC imposes: "
                      "mode=sink;rate=M/us;contexts=N;miss=us;replacement=lru|random");
  command->add_option("--passes", options->passes, "passes per point (default: the plan's)")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--alternate", options->alternate,
                    "pass by pass over all points, every other time in the opposite order: for a "
                    "machine whose speed drifts");
  command->add_option("-d,--ib-dev", options->device, "verbs device (default: the first)");
  command->add_option("-i,--ib-port", options->ib_port, "port of the device")
      ->capture_default_str();
  command->add_option("-x,--gid-index", options->gid_index,
                      "GID index (default: the first RoCE v2 entry over IPv4)");
  command->add_flag("-F", options->ignore_governor, "do not warn about the CPU governor");
  command->add_flag("--set-clocks", options->set_clocks,
                    "let the SM clock experiment lock the GPU's SM clock (needs root); reset after "
                    "each point");
  command
      ->add_option("--patience", options->patience_ms, "ms without progress before it is an error")
      ->capture_default_str();
  auto* server = command->add_option("--server", options->exchange.host,
                                     "serve one client on this address (default 127.0.0.1)");
  server->expected(0, 1)->default_str("127.0.0.1");
  auto* client = command->add_option("--client", options->exchange.host, "the server's host");
  client->excludes(server);
  command->add_option("-p,--port", options->exchange.port, "TCP port of the exchange")
      ->capture_default_str();
  command->add_option("--token", options->token, "what the server and its client share");
  command->callback([=, &status] {
    options->server = server->count() > 0;
    options->client = client->count() > 0;
    status = run(*options);
  });
}

}  // namespace qpcast::cli
