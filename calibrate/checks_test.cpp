/// Data that cannot be right, and facts that rows tell: errors and warnings by name.
#include "calibrate/checks.hpp"

#include <catch2/catch.hpp>

#include "calibrate/calibrate.hpp"
#include "calibrate/facts.hpp"
#include "calibrate/gather.hpp"
#include "calibrate/synthetic.hpp"
#include "model/error.hpp"

using namespace qpcast;
using namespace qpcast::calibrate;
using Catch::Matchers::Contains;

namespace {

Measurement row(const std::string& layout, Metric metric, double value,
                const std::string& platform = "mine") {
  Measurement m;
  m.id = layout + ":" + std::string{metric_name(metric)};
  m.where = "run.jsonl:1";
  m.platform = platform;
  m.layout = parse_layout(layout, "test");
  m.metric = metric;
  m.unit = metric_unit(metric);
  m.value = value;
  m.passes = 5;
  m.spread = 0.05;
  m.source = {"verbs", "mlx5_0"};
  m.environment = {{"gpu", "none"},     {"cpu", "A CPU"},
                   {"nic", "mlx5_0"},   {"nic.link", "400 Gb/sec (4X NDR)"},
                   {"nic.mtu", "4096"}, {"nic.link_layer", "InfiniBand"},
                   {"cpu.count", "16"}, {"cpu.observed_mhz", "3000"}};
  return m;
}

/// A truth's battery, measured; 60-odd rows without an environment.
std::vector<Measurement> good() { return measure(draw_truth(4), 0.03, 4); }

bool has(const Warnings& warnings, const std::string& name) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const Warning& w) { return w.name == name; });
}

Calibration fit(const std::vector<Measurement>& rows, std::set<std::string> accept = {}) {
  Options o;
  o.starts = 4;
  o.leave_one_out = false;
  o.accept = std::move(accept);
  Warnings assumed;
  PlatformFacts truth;
  truth.reference = true;
  truth.nic = "synthetic";
  return calibrate::calibrate(rows, facts_of(rows, {{"truth", truth}}, assumed), {}, "test", o);
}

Measurement& first_of(std::vector<Measurement>& rows, Metric metric) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Measurement& m) { return m.metric == metric; });
}

}  // namespace

TEST_CASE("no rows are an error", "[checks]") { CHECK_THROWS_AS(check_rows({}), InputError); }

TEST_CASE("one row leaves everything assumed, and says so", "[checks]") {
  const auto c = fit({row("submitter=host;qps=1;payload=8", Metric::issue, 0.4)});
  CHECK(has(c.warnings, "too-few-rows"));
  CHECK(c.free_parameters == 0);
  for (const auto& p : c.platforms.front().parameters) {
    INFO(p.name);
    CHECK(p.provenance != Provenance::fitted);
  }
}

TEST_CASE("rows of two devices under one name are an error that names the second", "[checks]") {
  std::vector<Measurement> rows{row("submitter=host;qps=1", Metric::issue, 0.4),
                                row("submitter=host;qps=2", Metric::issue, 0.4)};
  CHECK_NOTHROW(check_rows(rows));
  rows[1].where = "other.jsonl:7";
  rows[1].environment["nic"] = "mlx5_1";
  CHECK_THROWS_WITH(check_rows(rows), Contains("other.jsonl:7") && Contains("environment.nic"));
  rows[1].environment["nic"] = "mlx5_0";
  rows[1].source.kind = "emulated";
  CHECK_THROWS_WITH(check_rows(rows), Contains("source.kind"));
  rows[1].platform = "theirs";
  CHECK_NOTHROW(check_rows(rows));
  rows[1].platform = "mine";
  rows[1].source.kind = "verbs";
  rows[1].environment["kernel"] = "6.1";
  rows[0].environment["kernel"] = "6.2";
  CHECK(has(check_rows(rows).warnings, "mixed-versions"));
}

TEST_CASE("contradictory rows: a warning up to a factor of three, then an error", "[checks]") {
  auto first = row("submitter=host;qps=1", Metric::issue, 1.0);
  auto second = first;
  second.id += " again";
  second.value = 1.1;
  CHECK_FALSE(has(check_rows({first, second}).warnings, "contradictory-rows"));
  second.value = 2;
  CHECK(has(check_rows({first, second}).warnings, "contradictory-rows"));
  second.value = 4;
  CHECK_THROWS_WITH(check_rows({first, second}), Contains("which one is right"));
  CHECK(has(check_rows({first, second}, {"contradictory-rows"}).warnings, "contradictory-rows"));
  second.spread = first.spread = 0.8;  // passes that spread as much themselves
  CHECK_FALSE(has(check_rows({first, second}).warnings, "contradictory-rows"));
}

TEST_CASE("passes without any variance are named", "[checks]") {
  auto m = row("submitter=host;qps=1", Metric::issue, 1.0);
  m.spread = 0;
  CHECK(has(check_rows({m}).warnings, "zero-variance"));
  m.passes = 1;
  CHECK_FALSE(has(check_rows({m}).warnings, "zero-variance"));
}

TEST_CASE("goodput that repeats a rate counts once", "[checks]") {
  const auto rate = row("submitter=host;qps=1;payload=64;window=16", Metric::rate, 2.0);
  const auto goodput = row("submitter=host;qps=1;payload=64;window=16", Metric::goodput, 0.128);
  const auto other = row("submitter=host;qps=1;payload=64;window=16", Metric::goodput, 0.140);
  const auto c = check_rows({rate, goodput});
  CHECK(c.rows.size() == 1);
  CHECK(has(c.warnings, "repeated-observation"));
  CHECK(check_rows({rate, other}).rows.size() == 2);
}

TEST_CASE("a row in nanoseconds is found beside the others", "[checks]") {
  auto rows = good();
  CHECK_NOTHROW(fit(rows));
  for (const double factor : {1000.0, 0.001}) {
    auto wrong = rows;
    auto& m = first_of(wrong, Metric::put_completion);
    m.value *= factor;
    CHECK_THROWS_WITH(fit(wrong), Contains(m.id) && Contains("unit-off-by-1000"));
    CHECK(has(fit(wrong, {"unit-off-by-1000"}).warnings, "unit-off-by-1000"));
  }
}

TEST_CASE("a whole metric in another unit is found by what priors expect", "[checks]") {
  auto rows = good();
  for (auto& m : rows)
    if (m.metric == Metric::rate) m.value *= 1000;
  CHECK_THROWS_WITH(fit(rows), Contains("unit-off-by-1000") && Contains("rate"));
}

TEST_CASE("an adapter's only metric in another unit is found by what priors expect", "[checks]") {
  std::vector<Measurement> rows;
  for (const auto* batch : {"4", "8", "16", "32"})
    rows.push_back(row(
        std::string{"submitter=host;qps=16;threads=16;batch="} + batch + ";payload=8;window=512",
        Metric::rate, 30));
  CHECK_NOTHROW(fit(rows));
  for (auto& m : rows) m.value /= 1000;
  CHECK_THROWS_WITH(fit(rows), Contains("unit-off-by-1000") && Contains("rate"));
}

TEST_CASE("a program's row beside no others is fast or slow, not in another unit", "[checks]") {
  // Priors expect about 2 messages/us of such a program, and 5 us to complete a put.
  for (const double factor : {1e-3, 1e3}) {
    auto rate = row("submitter=host;qps=1;batch=16;payload=8;window=128", Metric::rate, 2 * factor);
    auto put = row("submitter=host;qps=1;payload=8", Metric::put_completion, 5 * factor);
    for (auto* m : {&rate, &put}) {
      m->source = {"emulated", "mlx5-format"};
      m->environment["nic.mode"] = "execute: reads, checks and performs every WQE";
      INFO(m->id << " = " << m->value);
      CHECK_NOTHROW(fit({*m}));
    }
    // The same beside rows of other metrics that are as usual.
    std::vector<Measurement> rows{rate};
    for (const auto* payload : {"8", "16", "32", "64"}) {
      rows.push_back(
          row(std::string{"submitter=host;qps=1;payload="} + payload, Metric::put_completion, 5));
      rows.back().source = rate.source;
      rows.back().environment = rate.environment;
    }
    CHECK_THROWS_WITH(fit(rows), Contains("unit-off-by-1000") && Contains("rate"));
  }
}

TEST_CASE("what no machine does is an error", "[checks]") {
  auto rows = good();
  first_of(rows, Metric::issue).value = 1e-5;
  CHECK_THROWS_WITH(fit(rows), Contains("no machine does that"));
}

TEST_CASE("an outlier is named and kept", "[checks]") {
  auto rows = good();
  auto& m = first_of(rows, Metric::put_completion);
  m.value *= 5;
  const auto c = fit(rows);
  REQUIRE(has(c.warnings, "outlier"));
  CHECK(std::any_of(c.warnings.begin(), c.warnings.end(),
                    [&](const Warning& w) { return w.where == m.id; }));
  CHECK(c.rows.size() == rows.size());
}

TEST_CASE("facts come from the environment, and say so", "[facts]") {
  Warnings warnings;
  const auto m = row("submitter=host;qps=1", Metric::issue, 1);
  const auto f = derive_facts({&m}, warnings);
  CHECK(warnings.empty());
  CHECK(f.link_gbit_per_s == 400);
  CHECK(f.mtu == 4096);
  CHECK(f.header == 42);
  CHECK(f.cpu_mhz == 3000);
  CHECK(f.nic == "mlx5_0");
  CHECK(f.nic_kind == NicKind::hardware);
  CHECK_THAT(f.source, Contains("nic.link") && Contains("cpu.observed_mhz"));
}

TEST_CASE("kinds of NIC: an adapter, a kernel transport, the emulated one", "[facts]") {
  Warnings warnings;
  auto m = row("submitter=host;qps=1", Metric::issue, 1);
  m.environment["nic"] = "rxe0";
  CHECK(derive_facts({&m}, warnings).nic_kind == NicKind::in_post);
  m.environment["nic.software"] = "no";  // an adapter that somebody named so
  CHECK(derive_facts({&m}, warnings).nic_kind == NicKind::hardware);
  m.source.kind = "emulated";
  m.environment["nic.mode"] = "execute: reads, checks and performs every WQE";
  CHECK(derive_facts({&m}, warnings).nic_kind == NicKind::with_queues);
  m.environment["nic.mode"] = "sink: retires by doorbell index";
  CHECK(derive_facts({&m}, warnings).nic_kind == NicKind::sink);
  m.environment["nic.imposed"] = "mode=sink";
  CHECK(derive_facts({&m}, warnings).nic_kind == NicKind::sink);
  for (const auto* imposed : {"rate=0.5", "contexts=64;miss=1;replacement=lru"}) {
    m.environment["nic.imposed"] = imposed;
    CHECK(derive_facts({&m}, warnings).nic_kind == NicKind::paced);
  }
}

TEST_CASE("GPUs: SMs, clock, and Grace's one address space", "[facts]") {
  Warnings warnings;
  auto m = row("submitter=gpu;qps=1", Metric::issue, 1);
  m.environment["gpu"] = "NVIDIA H200";
  m.environment["gpu.sms"] = "132";
  m.environment["gpu.sm_clock_max_mhz"] = "1980";
  auto f = derive_facts({&m}, warnings);
  CHECK(f.sms == 132);
  CHECK(f.sm_clock_mhz == 1980);
  CHECK_FALSE(f.coherent);
  m.environment["gpu"] = "NVIDIA GB200";
  CHECK(derive_facts({&m}, warnings).coherent);
}

TEST_CASE("what rows do not tell is assumed, each with a warning", "[facts]") {
  Warnings warnings;
  auto m = row("submitter=gpu;qps=1", Metric::issue, 1);
  m.environment = {{"gpu", "NVIDIA H200"}, {"nic", "mlx5_0"}};
  const auto f = derive_facts({&m}, warnings);
  CHECK(warnings.size() == 6);  // SM clock, SMs, link, MTU, header, host clock
  CHECK_THAT(f.source, Contains("Assumed"));
  m.environment["nic.link"] = "unknown";
  CHECK_THROWS_WITH(derive_facts({&m}, warnings), Contains("nic.link"));
}

TEST_CASE("a run that did not finish its plan is a warning by name; a finished one is none",
          "[checks]") {
  RunNotes notes;
  const std::set<std::string> ids{"a", "b"};
  const auto warned = [&] {
    Warnings warnings;
    check_finished("run.jsonl", notes, ids, warnings);
    return warnings;
  };
  CHECK(warned().empty());  // published and imported rows have no plan
  notes.plans = {{"mine", "emulated", "nic", "quick", {"a", "b"}}};
  CHECK(warned().empty());
  notes.plans.push_back({"mine", "emulated", "nic", "full", {"a", "b", "c", "d", "e"}});
  notes.points.push_back({PointNote::Outcome::failed, {"c", "d"}, "remote access error"});
  const auto warnings = warned();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].name == "unfinished-plan");
  CHECK(warnings[0].where == "run.jsonl");
  CHECK_THAT(warnings[0].text, Contains("3 of the 5 rows") && Contains("2 of points that failed") &&
                                   Contains("remote access error"));
  notes.points.push_back({PointNote::Outcome::skipped, {"c", "d", "e"}, "no inline data"});
  CHECK(warned().empty());  // the machine cannot measure them
}

TEST_CASE("equal ids of two platforms are told apart, of one platform refused", "[checks]") {
  const auto a = row("qps=1", Metric::rate, 1, "A"), b = row("qps=1", Metric::rate, 2, "B"),
             own = row("qps=2", Metric::rate, 3, "B");
  const auto rows = gather({{"a.jsonl", {a}}, {"b.jsonl", {b, own}}});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].id == "A/" + a.id);
  CHECK(rows[1].id == "B/" + b.id);
  CHECK(rows[2].id == own.id);
  CHECK_THROWS_WITH(gather({{"a.jsonl", {a}}, {"again.jsonl", {a}}}),
                    Contains("again.jsonl: id: ") && Contains("is also in a.jsonl"));
}
