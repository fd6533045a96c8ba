#include "hw/experiments/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "hw/experiments/experiments.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

struct Entry {
  const char* name;
  void (*add)(const Scope&, Plan&);
};

constexpr Entry experiments_in_order[] = {
    {"single operation", experiments::single_operation},
    {"inline sweep", experiments::inline_sweep},
    {"completion scope", experiments::completion_scope},
    {"batching", experiments::batching},
    {"queues", experiments::queues},
    {"publication", experiments::publication},
    {"threads per SM", experiments::threads_per_sm},
    {"proxy shape", experiments::proxy_shape},
    {"handoff", experiments::handoff},
    {"loaded round trip", experiments::loaded_round_trip},
    {"payload sweep", experiments::payload_sweep},
    {"connection sweep", experiments::connection_sweep},
    {"DC", experiments::dc},
    {"SM clock", experiments::sm_clock},
    {"host state", experiments::host_state},
};

void check_names(const std::vector<std::string>& experiments) {
  const auto known = experiment_names();
  for (const auto& name : experiments)
    if (std::ranges::find(known, name) == known.end())
      throw InputError{"measure", "experiment",
                       fmt::format("'{}' is not one of {}", name, fmt::join(known, ", "))};
}

}  // namespace

void describe_scope(const std::map<std::string, std::string>& environment, const std::string& kind,
                    Scope& scope) {
  const auto entry = [&](const char* key, const char* fallback) {
    const auto it = environment.find(key);
    return it == environment.end() ? std::string{fallback} : it->second;
  };
  scope.kind = kind;
  scope.loopback = entry("path", "loopback") == "loopback";
  scope.processors =
      static_cast<std::uint32_t>(std::max(1, std::atoi(entry("cpu.count", "16").c_str())));
  if (entry("gpu", "yes") == "none") scope.no_gpu = scope.no_dc = "the rows' machine has no GPU";
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const auto& entry : experiments_in_order) names.emplace_back(entry.name);
  return names;
}

void Plan::add(const std::string& experiment, std::string_view layout, Method method) {
  Point point{experiment, parse_layout(layout, experiment), method};
  point.layout.check(experiment);
  points.push_back(std::move(point));
}

void Plan::skip(const std::string& experiment, const std::string& reason) {
  skipped.push_back({experiment, reason});
}

void assist_doorbells(Plan& plan, const std::string& reason) {
  std::vector<Point> points;
  bool assisted = false;
  for (auto point : plan.points) {
    if (point.layout.choice(Key::submitter, Submitter::host) == Submitter::gpu) {
      point.layout.set(Key::submitter, Submitter::cpu_assisted);
      assisted = true;
    }
    const auto same = [&](const Point& other) {
      return other.experiment == point.experiment && other.method == point.method &&
             other.layout == point.layout;
    };
    if (std::ranges::none_of(points, same)) points.push_back(std::move(point));
  }
  plan.points = std::move(points);
  if (assisted) plan.skip("submitter=gpu", "measured as cpu-assisted; " + reason);
}

std::string Scope::producers(int rings, int outstanding) const {
  const int threads = no_gpu.empty() ? rings : 1;
  return fmt::format("threads={};window={}", threads, std::max(1, outstanding / threads));
}

bool gpu_submits(const Layout& layout) {
  const auto submitter = layout.choice(Key::submitter, Submitter::host);
  return submitter == Submitter::gpu || submitter == Submitter::cpu_assisted;
}

void use_layouts(Plan& plan, const std::vector<std::string>& layouts) {
  plan.points.clear();
  plan.skipped.clear();
  for (const auto& text : layouts) {
    const auto layout = parse_layout(text, "--layout");
    const bool several = layout.number(Key::threads, 1) > 1 || layout.number(Key::batch, 1) > 1 ||
                         layout.has(Key::publication);
    if (gpu_submits(layout)) {
      plan.add("layout", text, several ? Method::rate : Method::latency);
    } else if (layout.has(Key::background_ctas)) {
      plan.add("layout", text, Method::round_trip);
    } else if (layout.has(Key::window)) {
      plan.add("layout", text, Method::rate);
    } else {
      plan.add("layout", text, Method::latency);
      plan.add("layout", text, Method::round_trip);
    }
  }
}

Plan make_plan(const std::string& name, Scope scope, const std::vector<std::string>& experiments) {
  using namespace std::chrono_literals;
  if (name != "quick" && name != "full")
    throw InputError{"measure", "plan", fmt::format("'{}' is not one of quick, full", name)};
  check_names(experiments);
  scope.full = name == "full";
  Plan plan;
  plan.name = name;
  if (scope.full) {
    plan.passes = 7;
    plan.pass_time = 300ms;
    plan.warm_up = 100ms;
    plan.warm_time = 20s;
    plan.cold_time = 45s;
  }
  for (const auto& entry : experiments_in_order)
    if (experiments.empty() || std::ranges::find(experiments, entry.name) != experiments.end())
      entry.add(scope, plan);
  return plan;
}

}  // namespace qpcast::hw
