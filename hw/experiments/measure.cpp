#include "hw/experiments/measure.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <ostream>
#include <thread>

#include "hw/experiments/interrupt.hpp"
#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/open_nic.hpp"
#include "hw/experiments/remote_peer.hpp"
#include "hw/experiments/run.hpp"
#include "hw/gda/gpu_link.hpp"
#include "hw/nic/emulated/emulated.hpp"
#include "hw/proxy/affinity.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

using namespace std::chrono_literals;

/// How long a server waits for its client to come, and then between two of its commands.
constexpr auto client_comes_within = 10min;
constexpr auto client_speaks_within = 5min;

void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

void serve(const MeasureOptions& options, Nic& nic) {
  const auto token = options.token.empty() ? random_token() : options.token;
  Listener listener{options.exchange};
  say(fmt::format("serving {} on {}:{}; client: qpcast measure --client {} -p {} --token {}",
                  nic.name(), options.exchange.host, listener.port(), options.exchange.host,
                  listener.port(), token));
  auto exchange = listener.accept(token, {client_comes_within, &InterruptScope::flag()});
  LocalPeer local{nic};
  serve_peer(exchange, local, {client_speaks_within, &InterruptScope::flag()});
  say("the client has finished");
}

/// Only the emulated NIC serves a GPU's queues so far. @return why not; empty when it does
std::string why_no_gpu(const Nic& nic) {
  return dynamic_cast<const EmulatedNic*>(&nic) ? no_gpu()
                                                : "a GPU needs --nic emulated; a CPU produces";
}

/// Names the key of a layout that mini-gda cannot run before anything is measured.
void check_gpu_layouts(const Plan& plan) {
  for (const auto& point : plan.points)
    if (gpu_submits(point.layout)) gpu_layout(point.layout);
}

Scope scope_of(const MeasureOptions& options, const Nic& nic) {
  Scope scope;
  scope.kind = nic.kind();
  scope.loopback = !options.client;
  scope.processors = std::max(1U, std::thread::hardware_concurrency());
  scope.no_gpu = why_no_gpu(nic);
  scope.no_dc = scope.no_gpu;
  return scope;
}

std::vector<int> cpus_near(const Environment& facts) {
  const auto node = facts.find("nic.numa_node");
  return node == facts.end() ? std::vector<int>{} : cpus_of_node(std::atoi(node->second.c_str()));
}

Environment environment_of(const MeasureOptions& options, const Nic& nic) {
  auto facts = machine_environment();
  facts.merge(nic.environment());
  if (why_no_gpu(nic).empty()) facts.merge(gpu_environment());
  facts["path"] = options.client ? "two nodes" : "loopback";
  facts["plan"] = options.holdout ? fmt::format("hold-out, seed {}", options.holdout->seed)
                  : options.layouts.empty() ? options.plan
                                            : "layouts, timed as " + options.plan;
  if (options.alternate) facts["passes.order"] = "alternating";
  return facts;
}

void warn_of_governor(const MeasureOptions& options) {
  const auto state = processor_state();
  const auto governor = state.find("cpu.governor");
  if (!options.ignore_governor && governor != state.end() && governor->second != "performance")
    say(
        fmt::format("warning: the CPU governor is '{}', not 'performance'; results will vary (-F "
                    "silences this)",
                    governor->second));
}

Plan plan_of(const MeasureOptions& options, const Nic& nic) {
  const auto scope = scope_of(options, nic);
  auto plan = make_plan(options.plan, scope, options.experiments);
  if (!options.layouts.empty()) use_layouts(plan, options.layouts);
  if (options.holdout) {
    plan.points.clear();
    add_holdout(*options.holdout, scope, plan);
  }
  if (options.passes > 0) plan.passes = options.passes;
  plan.alternate = options.alternate;
  check_gpu_layouts(plan);
  return plan;
}

std::string platform_of(const MeasureOptions& options, const Nic& nic) {
  return options.platform.empty() ? nic.kind() + "-" + nic.name() : options.platform;
}

void summarise(const RunReport& report, const MeasureOptions& options, const Nic& nic,
               std::ostream& out) {
  out << fmt::format("{}: {} rows measured on {} ({}), {} kept, {} skipped\n", options.output,
                     report.measured, nic.name(), nic.kind(), report.kept, report.skipped.size());
  for (const auto& [experiment, reason] : report.skipped)
    out << fmt::format("  skipped {}: {}\n", experiment, reason);
}

}  // namespace

Outlook outlook(const MeasureOptions& options) {
  const auto nic = open_nic(options);
  auto plan = plan_of(options, *nic);
  return {platform_of(options, *nic), nic->kind(), nic->name(), std::move(plan.points),
          plan.passes};
}

void measure(const MeasureOptions& options, std::ostream& out) {
  if (options.client && options.token.empty())
    throw InputError{"measure", "token", "a client needs the token that the server printed"};
  if ((options.server || options.client) && options.nic == "emulated")
    throw InputError{"measure", "nic", "the emulated NIC has no wire; give --nic verbs or mlx5"};
  if (!options.server && options.output.empty())
    throw InputError{"measure", "output", "give the file for the rows (-o run.jsonl)"};
  const InterruptScope interrupts;
  const auto nic = open_nic(options);
  if (options.server) return serve(options, *nic);

  const std::chrono::milliseconds patience{options.patience_ms};
  std::unique_ptr<Exchange> exchange;
  std::unique_ptr<Peer> peer = std::make_unique<LocalPeer>(*nic);
  if (options.client) {
    exchange = std::make_unique<Exchange>(
        Exchange::connect(options.exchange, options.token, {patience, &InterruptScope::flag()}));
    peer = std::make_unique<RemotePeer>(*exchange, Patience{patience, &InterruptScope::flag()});
  }
  warn_of_governor(options);
  const auto facts = environment_of(options, *nic);
  const auto plan = plan_of(options, *nic);
  Bench bench{*nic, *peer, cpus_near(facts), patience, &InterruptScope::flag()};
  if (why_no_gpu(*nic).empty()) {
    bench.gpu_nic = &dynamic_cast<EmulatedNic&>(*nic).server();
    bench.ring_memory = pinned_resource();
  }
  RowFile rows{options.output, nic->kind(), nic->name()};
  const auto report = run_plan(plan, bench, platform_of(options, *nic), facts, rows);
  if (auto* remote = dynamic_cast<RemotePeer*>(peer.get())) remote->finish();
  summarise(report, options, *nic, out);
}

}  // namespace qpcast::hw
