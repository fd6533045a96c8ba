/// Draws random layouts, asks both solvers for the rate, and writes how far apart they are.
///
/// Regenerate the committed table, from the source tree:
///   build/release/model/simgrid/qpcast_agreement 240 7 data/agreement/agreement.csv
#include "model/simgrid/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "model/error.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "scenarios/io/platforms.hpp"

namespace {

using namespace qpcast;

void run(int count, std::uint64_t seed, const std::string& file) {
  const auto platform = io::read_platforms("data/platforms").at("P-IB");
  AnalyticSolver analytic{platform};
  SimulationOptions options;
  options.messages = 500'000;
  SimgridSolver simulated{platform, options};
  simgrid::Random random{seed};
  std::ofstream out{file};
  if (!out) throw InputError{file, "", "cannot be written"};
  out << "layout,analytic_mmsg_s,simulated_mmsg_s,relative_error,effect\n";
  std::vector<double> errors;
  int unnamed = 0;
  while (static_cast<int>(errors.size()) < count) {
    const auto layout = simgrid::agreement_layout(random);
    layout.check("agreement");
    const Question question{Metric::rate, Statistic::value, {layout, nullptr}, {}};
    const double a = analytic.point(question);
    const double s = simulated.answer(question).estimate.value;
    const double error = s / a - 1;
    const auto setup = resolve(layout, nullptr, analytic.facts(), analytic.values());
    const double streams = setup.threads / setup.qps / (setup.warp_publishes() ? 32 : 1);
    const bool apart = std::abs(error) > 0.15;
    const auto effect = apart ? simgrid::named_effect(setup, streams) : "";
    if (apart && effect.empty()) ++unnamed;
    out << fmt::format("{},{:.6g},{:.6g},{:.4f},{}\n", layout.to_string(), a, s, error,
                       effect.empty() ? "" : "\"" + effect + "\"");
    errors.push_back(std::abs(error));
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double q) { return errors[static_cast<std::size_t>(q * (count - 1))]; };
  fmt::print(
      "{} layouts: median {:.2f} %, nine in ten within {:.2f} %, largest {:.1f} %, {} above "
      "15 % without a named effect\n",
      count, 100 * at(0.5), 100 * at(0.9), 100 * errors.back(), unnamed);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    fmt::print(stderr, "usage: qpcast_agreement LAYOUTS SEED OUT.csv, from the source tree\n");
    return 2;
  }
  try {
    run(std::stoi(words[1]), std::stoull(words[2]), words[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "qpcast_agreement: {}\n", error.what());
    return 2;
  }
  return 0;
}
