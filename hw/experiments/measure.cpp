#include "hw/experiments/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <ostream>
#include <thread>

#include "hw/affinity.hpp"
#include "hw/clocks/nvml.hpp"
#include "hw/exchange/ranks.hpp"
#include "hw/experiments/gpu_side.hpp"
#include "hw/experiments/interrupt.hpp"
#include "hw/experiments/local_peer.hpp"
#include "hw/experiments/open_nic.hpp"
#include "hw/experiments/remote_peer.hpp"
#include "hw/experiments/run.hpp"
#include "hw/gda/gpu_link.hpp"
#include "hw/quiet_places.hpp"
#include "model/error.hpp"
#include "model/platform.hpp"

namespace qpcast::hw {

namespace {

using namespace std::chrono_literals;

/// How long a server waits for its client to come, and then between two of its commands.
constexpr auto client_comes_within = 10min;
constexpr auto client_speaks_within = 5min;

void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

/// How this process reaches the other node's, and which of the two it is.
struct Meeting {
  std::unique_ptr<Ranks> ranks;  ///< of MPI; null over TCP
  std::unique_ptr<Dialogue> dialogue;
  bool server = false, client = false;
};

void check_roles(const MeasureOptions& options, bool several) {
  if (options.client && options.token.empty())
    throw InputError{"measure", "token", "a client needs the token that the server printed"};
  if ((options.server || options.client || several) && options.nic == "emulated")
    throw InputError{"measure", "nic", "the emulated NIC has no wire; give --nic verbs or mlx5"};
  if (!options.server && options.output.empty())
    throw InputError{"measure", "output", "give the file for the rows (-o run.jsonl)"};
}

/// Rank 0 measures, rank 1 serves it.
Meeting meet_over_mpi() {
  Meeting meeting;
  meeting.ranks = join_ranks();
  if (meeting.ranks->count() != 2)
    throw InputError{"measure", "ranks",
                     fmt::format("{}: two are right, one on each node (mpirun -n 2 --map-by node)",
                                 meeting.ranks->count())};
  meeting.client = meeting.ranks->rank() == 0;
  meeting.server = !meeting.client;
  meeting.dialogue = meeting.ranks->with(meeting.client ? 1 : 0);
  return meeting;
}

std::unique_ptr<Dialogue> await_client(const MeasureOptions& options, const Nic& nic) {
  const auto token = options.token.empty() ? random_token() : options.token;
  Listener listener{options.exchange};
  say(fmt::format("serving {} on {}:{}; client: qpcast measure --client {} -p {} --token {}",
                  nic.name(), options.exchange.host, listener.port(), options.exchange.host,
                  listener.port(), token));
  return std::make_unique<Exchange>(
      listener.accept(token, {client_comes_within, &InterruptScope::flag()}));
}

Meeting meet(const MeasureOptions& options, const Nic& nic, bool several) {
  if (several) return meet_over_mpi();
  Meeting meeting;
  meeting.server = options.server;
  meeting.client = options.client;
  if (options.server) meeting.dialogue = await_client(options, nic);
  if (options.client)
    meeting.dialogue = std::make_unique<Exchange>(Exchange::connect(
        options.exchange, options.token,
        {std::chrono::milliseconds{options.patience_ms}, &InterruptScope::flag()}));
  return meeting;
}

void serve(Dialogue& dialogue, Nic& nic) {
  LocalPeer local{nic};
  serve_peer(dialogue, local, {client_speaks_within, &InterruptScope::flag()});
  say("the client has finished");
}

/// Names the key of a layout that mini-gda or this GPU cannot run before anything is measured.
void check_gpu_layouts(const Plan& plan, const GpuSide& gpu) {
  for (const auto& point : plan.points) {
    if (!gpu_submits(point.layout)) continue;
    const auto layout = gpu_layout(point.layout);
    if (gpu.nic) check_limits(layout, gpu_limits());
  }
}

/// Clocks to set, tried once so that a missing permission is said before anything is measured.
/// @return null unless the user asked for it
std::unique_ptr<ClockControl> clocks_of(const MeasureOptions& options, const GpuSide& gpu) {
  if (!options.set_clocks) return nullptr;
  if (!gpu.nic) throw DeviceError{"gpu", "--set-clocks", 0, gpu.why_not};
  auto clocks = std::make_unique<NvmlClocks>(load_nvml(gpu_pci_address()));
  const auto supported = clocks->supported();
  if (supported.empty()) throw DeviceError{"gpu", "--set-clocks", 0, "it names no clock to set"};
  const LockedClock tried{*clocks, supported.back()};
  say("the SM clock is locked where a layout names it, and reset afterwards; should this process "
      "be killed, 'nvidia-smi -rgc' resets it");
  return clocks;
}

Scope scope_of(const MeasureOptions& options, const Nic& nic, const GpuSide& gpu,
               ClockControl* clocks, bool loopback) {
  Scope scope;
  scope.kind = nic.kind();
  scope.loopback = loopback;
  scope.processors = std::max(1U, std::thread::hardware_concurrency());
  scope.no_gpu = gpu.why_not;
  if (clocks)
    scope.sm_clocks = clocks_to_sweep(clocks->supported(), options.plan == "full" ? 8 : 4);
  scope.no_dc = gpu.nic ? gpu.nic->why_no_dc() : gpu.why_not;
  return scope;
}

std::vector<int> cpus_near(const Environment& facts) {
  const auto node = facts.find("nic.numa_node");
  auto near =
      node == facts.end() ? std::vector<int>{} : cpus_of_node(std::atoi(node->second.c_str()));
  const auto allowed = allowed_cpus();
  std::erase_if(near, [&](int cpu) { return !std::ranges::binary_search(allowed, cpu); });
  return near.empty() ? allowed : near;
}

Environment environment_of(const MeasureOptions& options, const Nic& nic, const GpuSide& gpu,
                           const Meeting& meeting) {
  auto facts = machine_environment();
  facts.merge(nic.environment());
  if (gpu.nic) facts.merge(gpu_environment());
  if (gpu.nic && nic.kind() == "mlx5") facts["gpu.payload"] = "in the memory of queue_memory";
  facts["path"] = meeting.client ? "two nodes" : "loopback";
  if (meeting.client) facts["exchange"] = meeting.ranks ? "MPI" : "TCP";
  facts["plan"] = options.holdout ? fmt::format("hold-out, seed {}", options.holdout->seed)
                  : options.layouts.empty() ? options.plan
                                            : "layouts, timed as " + options.plan;
  if (options.alternate) facts["passes.order"] = "alternating";
  return facts;
}

/// The plan, or the caller's layouts, as this NIC and this GPU can run it.
Plan plan_of(const MeasureOptions& options, const Nic& nic, const GpuSide& gpu,
             ClockControl* clocks, bool loopback) {
  const auto scope = scope_of(options, nic, gpu, clocks, loopback);
  auto plan = make_plan(options.plan, scope, options.experiments);
  const auto refused = gpu.nic ? gpu.nic->why_no_doorbell() : "";
  if (!refused.empty()) {
    say("warning: " + refused);
    assist_doorbells(plan, refused);
  }
  if (!options.layouts.empty()) use_layouts(plan, options.layouts);
  if (options.holdout) {
    plan.points.clear();
    plan.skipped.clear();  // experiments of the plan, none of which is asked for
    add_holdout(*options.holdout, scope, plan);
  }
  if (options.passes > 0) plan.passes = options.passes;
  plan.alternate = options.alternate;
  check_gpu_layouts(plan, gpu);
  return plan;
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

std::string platform_of(const MeasureOptions& options, const Nic& nic) {
  if (const auto wrong = wrong_in_platform_name(options.platform);
      !options.platform.empty() && !wrong.empty())
    throw InputError{"measure", "platform", wrong};
  return options.platform.empty() ? nic.kind() + "-" + nic.name() : options.platform;
}

void summarise(const RunReport& report, const MeasureOptions& options, const Nic& nic,
               std::ostream& out) {
  if (report.was_finished) {
    out << fmt::format(
        "{}: nothing is left to measure: it has all {} rows that the plan asks for\n",
        options.output, report.kept);
    return;
  }
  out << fmt::format("{}: {} rows measured on {} ({}), {} kept, {} skipped, {} failed\n",
                     options.output, report.measured, nic.name(), nic.kind(), report.kept,
                     report.skipped.size(), report.failed.size());
  if (report.troubled > 0)
    out << fmt::format(
        "  {} points during which the NIC counted errors; their rows name the "
        "counters (environment: nic.errors.*)\n",
        report.troubled);
  for (const auto& [experiment, layout, reason] : report.failed)
    out << fmt::format("  failed {}: {}: {}\n", experiment, layout, reason);
  for (const auto& [experiment, reason] : report.skipped)
    out << fmt::format("  skipped {}: {}\n", experiment, reason);
}

}  // namespace

Outlook outlook(const MeasureOptions& options) {
  const auto nic = open_nic(options);
  const auto gpu = gpu_side(*nic, !options.client);
  auto plan = plan_of(options, *nic, gpu, nullptr, !options.client);
  return {platform_of(options, *nic), nic->kind(), nic->name(), std::move(plan.points),
          plan.passes};
}

Measured measure(const MeasureOptions& options, std::ostream& out) {
  const bool several = ranks_started() > 1 && !options.server && !options.client;
  check_roles(options, several);
  const InterruptScope interrupts;
  const auto nic = open_nic(options);
  const auto meeting = meet(options, *nic, several);
  if (meeting.server) {
    serve(*meeting.dialogue, *nic);
    return {};
  }

  const std::chrono::milliseconds patience{options.patience_ms};
  std::unique_ptr<Peer> peer = std::make_unique<LocalPeer>(*nic);
  if (meeting.client)
    peer = std::make_unique<RemotePeer>(*meeting.dialogue,
                                        Patience{patience, &InterruptScope::flag()});
  warn_of_governor(options);
  const auto gpu = gpu_side(*nic, !meeting.client);
  const auto facts = environment_of(options, *nic, gpu, meeting);
  const auto clocks = clocks_of(options, gpu);
  const auto plan = plan_of(options, *nic, gpu, clocks.get(), !meeting.client);
  const bool software = nic->kind() == "emulated";
  const auto beside = software ? Places{} : places_beside_an_adapter(cpus_near(facts));
  Bench bench{*nic, *peer, beside.workers, patience, &InterruptScope::flag()};
  bench.producer_cpu = beside.producer;
  bench.clocks = clocks.get();
  QuietPlaces quiet;
  if (software) bench.places = &quiet;
  if (gpu.nic) {
    bench.gpu_nic = gpu.nic.get();
    bench.ring_memory = pinned_resource();
  }
  RowFile rows{options.output, nic->kind(), nic->name(), platform_of(options, *nic)};
  const auto report = run_plan(plan, bench, platform_of(options, *nic), facts, rows);
  if (auto* remote = dynamic_cast<RemotePeer*>(peer.get())) remote->finish();
  summarise(report, options, *nic, out);
  return {report.measured + report.kept, report.failed.size()};
}

}  // namespace qpcast::hw
