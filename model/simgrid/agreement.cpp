/// How closely the two solvers agree: layouts drawn at random over the vocabulary where both apply.
///
///   agreement OUT.csv [LAYOUTS]       (the committed table: data/agreement/agreement.csv, 240)
///
/// Deterministic. A disagreement above 15 % carries the effect that only one solver has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "model/simgrid/simgrid_solver.hpp"
#include "model/testing.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

namespace {

using namespace qpcast;

/// The effect that the closed form leaves out for this kind of layout.
const char* effect(const Layout& layout) {
  if (layout.choice(Key::submitter, Submitter::gpu) == Submitter::proxy)
    return layout.number(Key::batch, 1) > 1 ? "chains shorter than the batch when rings run dry"
                                            : "workers idle while their rings are empty";
  if (layout.has(Key::window)) return "threads hold their section and wait for a whole batch";
  return "in-order publication holds back builders that are ready";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: agreement OUT.csv [LAYOUTS]\n", stderr);
    return 2;
  }
  const int count = argc > 2 ? std::atoi(argv[2]) : 240;
  const auto platform = io::read_platform(io::data_path("data/platforms/P-IB.json"));
  const auto presets = io::read_presets(io::data_path("scenarios/libraries"));
  AnalyticSolver analytic{platform};
  SimgridSolver simulated{platform};
  std::mt19937_64 generator{2026};
  std::vector<double> errors;
  std::string csv = "layout,analytic_mmsg_per_s,simulated_mmsg_per_s,relative_difference,effect\n";
  for (int i = 0; i < count; ++i) {
    const auto layout = testing::random_layout(generator);
    const bool proxy = layout.choice(Key::submitter, Submitter::gpu) == Submitter::proxy;
    const auto* preset = &presets.at(proxy ? "mini-proxy" : "mini-gda");
    SimulationOptions options;
    options.messages = 2e5;
    const double a = analytic.predict(layout, preset).find(Metric::rate)->value;
    const double s = simulated.predict(layout, preset, options).find(Metric::rate)->value;
    errors.push_back(std::abs(s / a - 1));
    csv += fmt::format("{},{:.5g},{:.5g},{:.4f},{}\n", io::csv_field(layout.to_string()), a, s,
                       s / a - 1, errors.back() > 0.15 ? effect(layout) : "");
  }
  io::write_atomically(argv[1], csv);
  std::sort(errors.begin(), errors.end());
  fmt::print(
      "{} layouts: median difference {:.1f} %, nine in ten within {:.1f} %, largest {:.1f} %\n",
      count, 100 * errors[errors.size() / 2], 100 * errors[errors.size() * 9 / 10],
      100 * errors.back());
}
