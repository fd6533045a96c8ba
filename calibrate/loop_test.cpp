/// From rows to what they leave open, to a platform derived from another, to hold-out error.
#include <catch2/catch.hpp>

#include "calibrate/calibrate.hpp"
#include "calibrate/hold_out.hpp"
#include "calibrate/identifiability.hpp"
#include "calibrate/problem.hpp"
#include "calibrate/synthetic.hpp"
#include "calibrate/testing.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::calibrate;

using calibrate::testing::fit;
using calibrate::testing::quick;

namespace {

bool is_dc(const Measurement& m) { return m.layout.has(Key::transport); }

/// The battery in two experiments: DC, and the rest.
std::vector<Experiment> experiments() {
  std::vector<Experiment> list{{"DC", {}}, {"rest", {}}};
  for (auto& row : battery()) list[is_dc(row) ? 0 : 1].rows.push_back(row);
  return list;
}

const OpenParameter* find(const Identifiability& result, const std::string& name) {
  for (const auto& p : result.open)
    if (p.name == name) return &p;
  return nullptr;
}

}  // namespace

TEST_CASE("what the data left open is named with the experiment that determines it",
          "[identifiability]") {
  const auto truth = draw_truth(5);
  auto rows = measure(truth, 0.03, 5);
  std::erase_if(rows, is_dc);
  const auto platform = fit(truth, rows).platforms.front();
  const auto result = identify(platform, {}, experiments());
  const auto* dc = find(result, "dc.switch");
  REQUIRE(dc);
  CHECK_FALSE(dc->read);
  CHECK(dc->posterior_sd == Approx(dc->prior_sd));
  REQUIRE(dc->remedies.size() == 1);
  CHECK(dc->remedies.front().experiment == "DC");
  CHECK(dc->remedies.front().sd < 0.5 * dc->prior_sd);
  CHECK_FALSE(find(result, "nic.ceiling"));  // those rows were there

  // The promise holds: with the experiment's rows, the parameter is determined.
  const auto all = fit(truth, measure(truth, 0.03, 5)).platforms.front();
  CHECK_FALSE(find(identify(all, {}, experiments()), "dc.switch"));
}

TEST_CASE("a platform without rows for an experiment gets no remedy from another's",
          "[identifiability]") {
  const auto truth = draw_truth(5);
  auto rows = measure(truth, 0.03, 5);
  std::erase_if(rows, is_dc);
  const auto platform = fit(truth, rows).platforms.front();
  auto only_rest = experiments();
  only_rest.erase(only_rest.begin());
  CHECK_FALSE(find(identify(platform, {}, only_rest), "dc.switch"));  // nobody asks for it
  for (const auto& pair : identify(platform, {}, only_rest).correlated) {
    CHECK(std::abs(pair.correlation) >= 0.9);
    CHECK(std::abs(pair.correlation) <= 1.0 + 1e-9);
  }
}

TEST_CASE("transfer: a twin is known from its parent, and few rows move only what they speak of",
          "[transfer]") {
  const auto truth = draw_truth(8);
  const auto parent = fit(truth, measure(truth, 0.03, 8)).platforms.front();
  auto twin = truth;
  twin.name = "twin";
  twin.facts.reference = false;
  for (auto& p : twin.parameters)
    if (p.name == "nic.visible") p.value *= 2;
  auto rows = measure(twin, 0, 1);
  for (auto& m : rows) m.platform = "twin";
  std::vector<Measurement> few;
  for (const auto& m : rows)
    if ((m.metric == Metric::doorbell_to_cqe || m.metric == Metric::put_completion) &&
        few.size() < 5)
      few.push_back(m);
  REQUIRE(few.size() == 5);
  auto options = quick();
  options.parent = &parent;
  const auto with = fit(twin, few, options);
  const auto without = fit(twin, few);
  const auto errors = [&](const Platform& p) {
    AnalyticSolver solver{p};
    std::vector<double> list;
    for (const auto& m : rows)
      list.push_back(std::abs(std::log(solver.point(question_of(m, {})) / m.value)));
    std::sort(list.begin(), list.end());
    return list[list.size() / 2];
  };
  CHECK(errors(with.platforms.front()) < 0.10);
  CHECK(errors(with.platforms.front()) < 0.5 * errors(without.platforms.front()));
  const auto fate = [&](const std::string& name) {
    for (const auto& t : with.transferred)
      if (t.name == name) return t.fate;
    FAIL("not reported: " << name);
    return Transferred::Fate::assumed;
  };
  CHECK(fate("nic.visible") == Transferred::Fate::refitted);
  CHECK(fate("conn.decline_all_to_all") == Transferred::Fate::kept);
  const auto* kept = with.platforms.front().find("conn.decline_all_to_all");
  REQUIRE(kept);
  CHECK(kept->note == "kept from " + parent.name);
  CHECK(kept->value == Approx(parent.find(kept->name)->value).epsilon(0.05));
  for (const auto& p : with.platforms.front().parameters) {
    if (p.note.find("kept from") != 0) continue;
    INFO(p.name);
    CHECK(p.value == Approx(parent.find(p.name)->value).epsilon(0.06));
  }
}

TEST_CASE("transfer: what machines do not share is widened by the table's spread", "[transfer]") {
  const auto truth = draw_truth(8);
  const auto parent = fit(truth, measure(truth, 0.03, 8)).platforms.front();
  auto row = battery().front();
  row.platform = "twin";
  row.value = 1;
  PlatformFacts facts;
  facts.nic = "another NIC";
  Problem problem{{row}, {{"twin", facts}}, {}, &parent};
  const auto o = problem.objective();
  REQUIRE(o.precision.rows() == o.prior.size());
  for (std::size_t u = 0; u < problem.unknowns().size(); ++u) {
    const auto name = problem.unknowns()[u].name.substr(0, problem.unknowns()[u].name.find('@'));
    const auto* p = parent.find(name);
    if (!p) continue;
    INFO(name);
    const auto spread = o.spread[static_cast<Eigen::Index>(u)];
    if (problem.info(u).scope == Scope::physics)
      CHECK(spread >= parent.discrepancy.largest());
    else
      CHECK(spread >= problem.info(u).prior_spread);
  }
}

TEST_CASE("hold-out: no layout is on both sides, and a known truth is forecast", "[hold-out]") {
  const auto truth = draw_truth(6);
  const auto rows = measure(truth, 0.03, 6);
  const auto held = hold_out(rows, {{"truth", truth.facts}}, {}, quick());
  REQUIRE(held.size() == rows.size());
  std::map<std::string, int> half;
  int counts[2] = {0, 0};
  for (const auto& m : rows) {
    const auto h = half_of(m);
    ++counts[h];
    CHECK(half.emplace(m.layout.to_string(), h).first->second == h);
  }
  CHECK(counts[0] > 10);
  CHECK(counts[1] > 10);
  std::vector<double> errors;
  for (const auto& h : held)
    if (h.answer.modelled()) errors.push_back(std::abs(h.answer.estimate.value / h.row.value - 1));
  std::sort(errors.begin(), errors.end());
  CHECK(errors[errors.size() / 2] < 0.25);
}
