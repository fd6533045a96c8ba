#include "calibrate/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "model/analytic/analytic.hpp"

namespace qpcast::calibrate {

namespace {

/// Adds `text` once per value of `key`, measured by `metric`.
void add(std::vector<Measurement>& rows, Metric metric, const std::string& text,
         const std::string& key = "", const std::vector<std::string>& values = {""}) {
  for (const auto& value : values) {
    const auto whole = key.empty() ? text : fmt::format("{};{}={}", text, key, value);
    Measurement m;
    m.id = fmt::format("{}-{}", metric_name(metric), whole);
    m.platform = "truth";
    m.layout = parse_layout(whole, "battery");
    m.metric = metric;
    m.unit = metric_unit(metric);
    m.source.kind = "simulated";
    rows.push_back(m);
  }
}

void add_gpu(std::vector<Measurement>& rows) {
  const std::string lone = "submitter=gpu;threads=1;qps=1;payload=8";
  for (const auto metric : {Metric::issue, Metric::put_completion, Metric::rtt})
    add(rows, metric, lone, "ordering", {"none", "gpu", "release", "system"});
  add(rows, Metric::doorbell_to_cqe, lone, "inline", {"0", "1"});
  add(rows, Metric::issue, "submitter=gpu;threads=1;qps=1;inline=1", "payload",
      {"24", "56", "120"});
  add(rows, Metric::put_completion, "submitter=gpu;threads=1;completion=all-qp", "qps",
      {"1", "8", "32"});
  add(rows, Metric::rate, "submitter=gpu;threads=1;qps=1", "batch", {"1", "4", "16", "64"});
  add(rows, Metric::rate, "submitter=gpu;qps=1;publication=lock-per-wqe", "threads", {"8", "32"});
  add(rows, Metric::rate, "submitter=gpu;qps=1;batch=32;publication=warp-cooperative", "threads",
      {"32", "64", "256"});
  add(rows, Metric::rate, "submitter=gpu;batch=16;threads=32;qps=32", "sms", {"1", "4", "32"});
  add(rows, Metric::rate, "submitter=gpu;batch=16;threads=512;qps=512;sms=128", "payload",
      {"8", "16384"});
}

void add_proxy(std::vector<Measurement>& rows) {
  const std::string proxy = "submitter=proxy;rings=8";
  add(rows, Metric::issue, proxy + ";threads=1");
  add(rows, Metric::put_completion, proxy + ";threads=1");
  for (const char* state : {"cold", "warm"}) {
    const auto text = fmt::format("{};host_state={};threads=1024", proxy, state);
    add(rows, Metric::rate, text, "batch", {"1", "4", "16"});
    add(rows, Metric::rtt_p99, fmt::format("{};host_state={};threads=1", proxy, state));
  }
}

void add_connections(std::vector<Measurement>& rows) {
  for (const char* role : {"send", "bidirectional", "all-to-all"})
    add(rows, Metric::rate, fmt::format("submitter=gpu;role={};writes_per_visit=32", role),
        "active_qps", {"16", "1024", "4096", "32768"});
  add(rows, Metric::rate, "submitter=gpu;role=all-to-all;pes=8;transport=dc;active_qps=64",
      "writes_per_visit", {"1", "4", "32"});
  add(rows, Metric::put_completion, "submitter=gpu;threads=1;qps=1;transport=dc");
  add(rows, Metric::put_completion, "submitter=cpu-assisted;threads=1;qps=1");
}

}  // namespace

std::vector<Measurement> battery() {
  std::vector<Measurement> rows;
  add_gpu(rows);
  add_proxy(rows);
  add_connections(rows);
  return rows;
}

Platform draw_truth(std::uint64_t seed) {
  const auto of_a_program = [](const ParameterInfo& info) {  // the truth's NIC is hardware
    return info.mechanism == "software_nic" || info.mechanism == "paced_nic";
  };
  Platform truth;
  truth.name = "truth";
  truth.facts.reference = true;
  truth.facts.nic = "synthetic";
  // A generator for each, so that one parameter more leaves the others as they were.
  const auto draw = [&](const std::string& name, const ParameterInfo& info) {
    std::vector<std::uint32_t> entropy{name.begin(), name.end()};
    entropy.push_back(static_cast<std::uint32_t>(seed));
    entropy.push_back(static_cast<std::uint32_t>(seed >> 32));
    std::seed_seq sequence{entropy.begin(), entropy.end()};
    std::mt19937_64 generator{sequence};
    std::normal_distribution<double> normal;
    const double value = info.prior * std::exp(info.prior_spread * normal(generator));
    Parameter p;
    p.name = name;
    p.unit = info.unit;
    p.value = std::clamp(value, info.lowest, info.highest);
    truth.parameters.push_back(p);
  };
  for (const auto& info : parameter_table())
    if (info.name != "host.speed" && !of_a_program(info)) draw(std::string{info.name}, info);
  for (const char* profile : {"mini-gda", "mini-proxy"})
    for (const auto& info : cost_table())
      draw(fmt::format("library.{}.{}", profile, info.name), info);
  return truth;
}

std::vector<Measurement> measure(const Platform& truth, double noise, std::uint64_t seed) {
  std::mt19937_64 generator{seed};
  std::normal_distribution<double> normal;
  AnalyticSolver solver{truth};
  auto rows = battery();
  for (auto& row : rows) {
    const double exact = solver.point(question_of(row, {}));
    row.value = exact * std::exp(noise * normal(generator));
    row.spread = noise;
  }
  return rows;
}

}  // namespace qpcast::calibrate
