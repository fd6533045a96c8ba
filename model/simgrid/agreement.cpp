/// Draws random layouts, asks both solvers for the rate, and writes how far apart they are.
///
///   agreement LAYOUTS SEED OUT.csv         from the source tree; the committed table is
///   agreement 240 7 data/agreement/agreement.csv
///
/// Where they are more than 15 % apart, `effect` names the cause and `without_it` is what the
/// simulation gives once that cause is removed: within 15 % again, or nothing is named.
#include "model/simgrid/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/error.hpp"
#include "model/simgrid/simgrid_solver.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/platforms.hpp"
#include "scenarios/io/text_file.hpp"

namespace {

using namespace qpcast;

SimulationOptions budget() {
  SimulationOptions o;
  o.messages = 500'000;
  return o;
}

struct Explanation {
  const char* effect = "";
  double rate = 0;
};

/// The first effect without which the simulation gives the closed form's rate.
Explanation explain(const Platform& platform, const Question& question, double analytic) {
  for (const auto& effect : simgrid::effects) {
    auto options = budget();
    auto without = question;
    effect.remove(options, without.config.layout);
    const double rate = SimgridSolver{platform, options}.answer(without).estimate.value;
    if (std::abs(rate / analytic - 1) <= simgrid::disagreement) return {effect.name, rate};
  }
  return {};
}

void run(int count, std::uint64_t seed, const std::string& file) {
  const auto platform = io::read_platforms("data/platforms").at("P-IB");
  AnalyticSolver analytic{platform};
  SimgridSolver simulated{platform, budget()};
  simgrid::Random random{seed};
  std::string csv =
      "layout,analytic_mmsg_per_s,simulated_mmsg_per_s,relative_difference,effect,without_it\n";
  std::vector<double> errors;
  int apart = 0, unnamed = 0;
  while (static_cast<int>(errors.size()) < count) {
    const auto layout = simgrid::agreement_layout(random);
    layout.check("agreement");
    const Question question{Metric::rate, Statistic::value, {layout, nullptr}, {}};
    const double a = analytic.point(question);
    const double s = simulated.answer(question).estimate.value;
    const double difference = s / a - 1;
    csv += fmt::format("{},{:.5g},{:.5g},{:.4f},", io::csv_field(layout.to_string()), a, s,
                       difference);
    errors.push_back(std::abs(difference));
    if (errors.back() > simgrid::disagreement) {
      const auto e = explain(platform, question, a);
      ++apart;
      unnamed += *e.effect ? 0 : 1;
      csv += fmt::format("{},{:.5g}\n", io::csv_field(e.effect), e.rate);
    } else {
      csv += ",\n";
    }
  }
  io::write_atomically(file, csv);
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double q) { return errors[static_cast<std::size_t>(q * (count - 1))]; };
  fmt::print(
      "{} layouts: median {:.2f} %, nine in ten within {:.2f} %, largest {:.1f} %; {} above 15 %, "
      "{} of them unexplained\n",
      count, 100 * at(0.5), 100 * at(0.9), 100 * errors.back(), apart, unnamed);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    fmt::print(stderr, "usage: agreement LAYOUTS SEED OUT.csv, from the source tree\n");
    return 2;
  }
  try {
    const auto number = [](const std::string& word, const char* what) {
      if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos ||
          word.size() > 9)
        throw InputError{"command line", what, fmt::format("'{}' is not a whole number", word)};
      return std::stoul(word);
    };
    const auto layouts = static_cast<int>(number(words[1], "LAYOUTS"));
    if (layouts < 1) throw InputError{"command line", "LAYOUTS", "at least 1"};
    run(layouts, number(words[2], "SEED"), words[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "agreement: {}\n", error.what());
    return 2;
  }
  return 0;
}
