/// The known-truth study: random platforms, synthetic measurements with noise, calibration; how
/// often does a 90 % interval hold the truth?
///
///   known_truth --trials 500 --noise 0.05 --solver analytic -o data/studies/known-truth.csv
///
/// One line per parameter: trials in which the rows determined it, how many of those intervals
/// hold the truth, and the median factor between value and truth. Same arguments, same file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "calibrate/calibrate.hpp"
#include "calibrate/synthetic.hpp"
#include "model/error.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "scenarios/io/text_file.hpp"

namespace {

using namespace qpcast;

struct Arguments {
  int trials = 500;
  double noise = 0.05;
  std::string solver = "analytic", out;
  std::uint64_t first_seed = 1;
};

struct Count {
  int determined = 0, inside = 0;
  std::vector<double> errors;  ///< |log(value / truth)|
};

/// The battery as the discrete-event solver sees it, with noise; what it cannot simulate is left.
std::vector<Measurement> simulated(const Platform& truth, double noise, std::uint64_t seed) {
  std::mt19937_64 generator{seed};
  std::normal_distribution<double> normal;
  SimulationOptions options;
  options.seed = seed;
  options.messages = 100'000;
  options.half_width = 0.01;
  SimgridSolver solver{truth, options};
  std::vector<Measurement> rows;
  for (auto row : calibrate::battery()) {
    const auto answer = solver.answer(question_of(row, {}));
    const double factor = std::exp(noise * normal(generator));
    if (!answer.modelled() || !(answer.estimate.value > 0)) continue;
    row.value = answer.estimate.value * factor;
    row.spread = noise;
    rows.push_back(row);
  }
  return rows;
}

void trial(const Arguments& a, std::uint64_t seed, std::map<std::string, Count>& counts) {
  const auto truth = calibrate::draw_truth(seed);
  const auto rows = a.solver == "simgrid" ? simulated(truth, a.noise, seed + 1'000'000)
                                          : calibrate::measure(truth, a.noise, seed + 1'000'000);
  calibrate::Options options;
  options.starts = 4;
  options.leave_one_out = false;
  // A random truth may lie a thousandfold from its prior; that is no mistake here.
  options.accept = {"unit-off-by-1000", "contradictory-rows"};
  const auto c = calibrate::calibrate(rows, {{truth.name, truth.facts}}, {}, "synthetic", options);
  for (const auto& p : c.platforms.front().parameters) {
    const auto* known = truth.find(p.name);
    if (p.provenance != Provenance::fitted || !known) continue;
    auto& count = counts[p.name];
    ++count.determined;
    count.inside += p.lo <= known->value && known->value <= p.hi ? 1 : 0;
    count.errors.push_back(std::abs(std::log(p.value / known->value)));
  }
}

std::string table(const std::map<std::string, Count>& counts) {
  std::string text = "parameter,determined,inside,coverage,median_factor\n";
  int determined = 0, inside = 0;
  for (auto [name, count] : counts) {
    std::sort(count.errors.begin(), count.errors.end());
    text += fmt::format("{},{},{},{:.3f},{:.3f}\n", name, count.determined, count.inside,
                        double(count.inside) / count.determined,
                        std::exp(count.errors[count.errors.size() / 2]));
    determined += count.determined;
    inside += count.inside;
  }
  return text + fmt::format("all,{},{},{:.3f},\n", determined, inside,
                            determined ? double(inside) / determined : 0);
}

void run(const Arguments& a) {
  std::map<std::string, Count> counts;
  for (int t = 0; t < a.trials; ++t) {
    trial(a, a.first_seed + static_cast<std::uint64_t>(t), counts);
    if ((t + 1) % 10 == 0) fmt::print(stderr, "{} of {} trials\n", t + 1, a.trials);
  }
  const auto text = table(counts);
  io::write_atomically(a.out, text);
  fmt::print("{}", text.substr(text.rfind("all,")));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Does calibration find a truth that is known?"};
  Arguments a;
  app.add_option("--trials", a.trials)->check(CLI::Range(1, 1'000'000))->capture_default_str();
  app.add_option("--noise", a.noise, "relative")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--solver", a.solver)->check(CLI::IsMember({"analytic", "simgrid"}));
  app.add_option("--seed", a.first_seed, "of the first trial")->capture_default_str();
  app.add_option("-o,--output", a.out)->required();
  CLI11_PARSE(app, argc, argv);
  try {
    run(a);
  } catch (const InputError& error) {
    fmt::print(stderr, "known_truth: {}\n", error.what());
    return 2;
  }
  return 0;
}
