#include "hw/experiments/holdout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "hw/gda/gpu_layout.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

constexpr int most_qps = 32, most_batch = 16, most_connections = 256, most_workers = 8;
constexpr int largest_payload = 65536;
constexpr int largest_inline = 192;  // what every back end takes into a WQE

/// Draws that are the same with any standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : generator_{seed} {}
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  int log_uniform(int lowest, int highest) {
    const double span = std::log(highest + 1.0) - std::log(lowest);
    const double value = std::floor(lowest * std::exp(span * uniform()));
    return std::clamp(static_cast<int>(value), lowest, highest);
  }
  bool coin() { return uniform() < 0.5; }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[std::min(values.size() - 1, static_cast<std::size_t>(
                                                  uniform() * static_cast<double>(values.size())))];
  }

 private:
  std::mt19937_64 generator_;
};

struct Candidate {
  std::string layout;
  Method method;
};
using Family = std::function<Candidate(Draw&)>;

/// ";payload=P;inline=I": small payloads may travel in the WQE.
std::string payload_of(Draw& draw, int largest) {
  const bool inlined = draw.coin();
  const int payload = draw.log_uniform(1, inlined ? largest_inline : largest);
  return fmt::format(";payload={};inline={}", payload, inlined ? 1 : 0);
}

Candidate host_latency(Draw& draw) {
  return {
      fmt::format("submitter=host;qps={};batch=1;completion={}{}", draw.log_uniform(1, most_qps),
                  draw.coin() ? "per-qp" : "all-qp", payload_of(draw, largest_payload)),
      Method::latency};
}

Candidate host_rate(Draw& draw) {
  const int qps = draw.log_uniform(1, most_qps), batch = draw.log_uniform(1, most_batch);
  return {fmt::format("submitter=host;qps={};batch={};window={}{}", qps, batch,
                      qps * std::max(2 * batch, draw.log_uniform(16, 128)),
                      payload_of(draw, largest_payload)),
          Method::rate};
}

Candidate connections(Draw& draw, bool loopback) {
  const int active = draw.log_uniform(1, most_connections);
  const int visit = draw.log_uniform(1, 32);
  return {fmt::format("submitter=host;active_qps={};batch={};payload=8;role={};writes_per_visit={};"
                      "window={}",
                      active, std::min(visit, most_batch), loopback ? "bidirectional" : "send",
                      visit, active * std::max(visit, 4)),
          Method::rate};
}

/// A proxy of ours with a queue pair per worker.
std::string proxy(Draw& draw, int workers, int rings, int batch) {
  return fmt::format(
      "library=mini-proxy;submitter=proxy;workers={0};rings={1};qps={0};batch={2};handoff={3}",
      workers, rings, batch, draw.coin() ? "tuned" : "baseline");
}

Candidate proxy_latency(Draw& draw) {
  const auto text = proxy(draw, 1, 1, 1) + ";threads=1";
  return {text + payload_of(draw, largest_payload), Method::latency};
}

Candidate proxy_rate(Draw& draw, const Scope& scope, int most) {
  const int workers = draw.log_uniform(1, most);
  const int rings = workers * draw.log_uniform(1, 4);
  const auto text = proxy(draw, workers, rings, draw.log_uniform(1, most_batch));
  const int outstanding = workers * draw.log_uniform(32, 512);
  return {fmt::format("{};{}{}", text, scope.producers(rings, outstanding),
                      payload_of(draw, largest_payload)),
          Method::rate};
}

/// A probe beside bulk traffic needs a producer, a worker and the peer's echo at the same time.
Candidate loaded_probe(Draw& draw) {
  const int ctas = draw.log_uniform(1, 16);
  return {fmt::format("library=mini-proxy;submitter=proxy;threads=1;workers=1;rings=2;qps=1;"
                      "batch={};payload=8;handoff=tuned;background_ctas={};queue={};window={}",
                      draw.log_uniform(1, most_batch), ctas, draw.coin() ? "shared" : "private",
                      32 * ctas),
          Method::round_trip};
}

const std::vector<std::string>& orderings() {
  static const std::vector<std::string> all{"gpu", "release", "system"};
  return all;
}

Candidate gpu_latency(Draw& draw) {
  return {fmt::format("submitter=gpu;threads=1;sms=1;qps=1;batch=1;ordering={};completion=per-qp;"
                      "queue_memory={}{}",
                      draw.one_of(orderings()), draw.coin() ? "gpu" : "host",
                      payload_of(draw, largest_payload)),
          Method::latency};
}

Candidate gpu_rate(Draw& draw) {
  const int qps = draw.log_uniform(1, 128);
  return {fmt::format("submitter=gpu;threads={0};qps={0};sms={1};batch={2};payload={3};inline=1;"
                      "ordering={4};publication=exclusive",
                      qps, draw.coin() ? qps : std::max(1, qps / draw.log_uniform(1, 8)),
                      draw.log_uniform(1, 128), draw.log_uniform(1, 64), draw.one_of(orderings())),
          Method::rate};
}

Candidate gpu_publication(Draw& draw) {
  static const std::vector<std::string> strategies{"lock-per-wqe", "warp-synchronised",
                                                   "warp-drifting", "warp-cooperative"};
  const auto& strategy = draw.one_of(strategies);
  const bool warp = strategy == "warp-cooperative";
  return {
      fmt::format("submitter=gpu;threads={};qps=1;sms=1;batch={};payload=8;inline=1;ordering={};"
                  "publication={}",
                  32 * draw.log_uniform(1, 16), warp ? 32 * draw.log_uniform(1, 8) : 1,
                  draw.one_of(orderings()), strategy),
      Method::rate};
}

std::vector<Family> families(const Scope& scope) {
  const int processors = static_cast<int>(scope.processors);
  // One processor is the producer's; a single worker takes turns with it where there is no other.
  const int workers = std::clamp(processors - 1, 1, most_workers);
  std::vector<Family> all{
      host_latency,
      host_rate,
      [loopback = scope.loopback](Draw& d) { return connections(d, loopback); },
      proxy_latency,
      [&scope, workers](Draw& d) { return proxy_rate(d, scope, workers); },
  };
  // A CPU plays the probe; beside a GPU such a row says nothing of the layout (analytic.cpp).
  if (!scope.no_gpu.empty()) {
    if (processors >= 3) all.emplace_back(loaded_probe);
    return all;
  }
  all.insert(all.end(), {gpu_latency, gpu_rate, gpu_publication});
  return all;
}

bool possible(const Layout& layout) {
  try {
    layout.check("hold-out");
    if (gpu_submits(layout)) gpu_layout(layout);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

void add_holdout(const Holdout& holdout, const Scope& scope, Plan& plan) {
  Draw draw{holdout.seed};
  const auto kinds = families(scope);
  auto seen = holdout.seen;
  const auto enough = plan.points.size() + holdout.layouts;
  const auto most_draws = 100 * holdout.layouts + 1000;
  for (std::size_t n = 0; plan.points.size() < enough; ++n) {
    if (n > most_draws)
      throw InputError{"hold-out", "layouts",
                       fmt::format("{} unseen layouts asked for, {} found", holdout.layouts,
                                   plan.points.size())};
    const auto candidate = kinds[n % kinds.size()](draw);
    const auto layout = parse_layout(candidate.layout, "hold-out");
    if (!possible(layout) || !seen.insert(layout.to_string()).second) continue;
    plan.add("hold-out", candidate.layout, candidate.method);
  }
}

}  // namespace qpcast::hw
