#include "calibrate/import/import.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "calibrate/calibrate.hpp"
#include "model/error.hpp"
#include "model/testing.hpp"
#include "scenarios/io/presets.hpp"
#include "scenarios/io/text_file.hpp"

using namespace qpcast;
using Catch::Contains;

namespace {

std::string fixture(const std::string& name) {
  return io::read_text("calibrate/import/fixtures/" + name);
}

import::Imported read(const std::string& format, const std::string& name,
                      const std::string& known = "", bool partial = false){import::Options o;
o.platform = "mine";
o.known = parse_layout(known, "test");
o.partial = partial;
return import::run(format, fixture(name), name, o);
}  // namespace

import::Imported perftest(const std::string& text, const std::string& known = ""){import::Options o;
o.known = parse_layout(known, "test");
return import::perftest(text, "p.txt", o);
}

const Measurement& row(const import::Imported& i, double payload, Metric metric) {
  for (const auto& m : i.rows)
    if (m.layout.number(Key::payload, -1) == payload && m.metric == metric) return m;
  FAIL("no row of " << payload << " B");
  throw std::logic_error{"unreachable"};
}

}  // namespace

TEST_CASE("ib_write_bw: one row a size, and what its header says", "[import]") {
  const auto all = read("perftest", "write_bw_all.txt");
  CHECK(all.rows.size() == 22);  // 23 sizes, one of which says 0
  REQUIRE(all.warnings.size() == 1);
  CHECK_THAT(all.warnings.front(), Contains("write_bw_all.txt:37: 32768 B: a rate of 0"));
  const auto& small = row(all, 8, Metric::rate);
  CHECK(small.value == Approx(0.014427));
  CHECK(small.unit == "Mmsg/s");
  CHECK(small.platform == "mine");
  CHECK(small.source.kind == "imported");
  CHECK(small.environment.at("nic") == "rxe0");
  CHECK(small.layout.to_string() ==
        "submitter=host;threads=1;qps=1;batch=1;payload=8;inline=0;queue_memory=host;"
        "transport=rc;workers=1;role=send;writes_per_visit=8;window=8");
  // The printed message rate of 0.000001 has one digit, the bandwidth four.
  CHECK(row(all, 8388608, Metric::goodput).value == Approx(10.97 * 1.048576e-3));

  const auto q4 = read("perftest", "write_bw_q4.txt").rows;
  REQUIRE(q4.size() == 1);
  CHECK(q4.front().layout.number(Key::qps, 0) == 4);
  CHECK(q4.front().layout.number(Key::window, 0) == 512);
  const auto l16 = read("perftest", "write_bw_l16.txt").rows;
  CHECK(l16.at(0).layout.number(Key::batch, 0) == 16);
  CHECK(l16.at(0).layout.number(Key::writes_per_visit, 0) == 16);
  const auto gbits = read("perftest", "write_bw_gbits.txt").rows;
  REQUIRE(gbits.size() == 1);
  CHECK(gbits.front().value == Approx(0.000282));
  const auto both = read("perftest", "write_bw_bidirectional.txt").rows;
  REQUIRE(both.size() == 1);
  CHECK(both.front().layout.choice(Key::role, Role::send) == Role::bidirectional);
}

TEST_CASE("ib_write_lat prints half of a round trip", "[import]") {
  const auto lat = read("perftest", "write_lat.txt");
  CHECK(row(lat, 8, Metric::rtt).value == Approx(2 * 13.55));
  CHECK(row(lat, 8, Metric::rtt_p99).value > row(lat, 8, Metric::rtt).value);
  CHECK(row(read("perftest", "write_lat_duration.txt"), 8, Metric::rtt).value ==
        Approx(2 * 135.31));
  const auto all = read("perftest", "write_lat_all.txt");  // with standard deviations of -nan
  CHECK(row(all, 8388608, Metric::rtt).value == Approx(2 * 346709.10));
  CHECK(all.rows.size() == 42);  // 23 sizes, two of which say inf
  CHECK(all.warnings.size() == 2);
}

TEST_CASE("--out_json states the last size of a run, in members without quotes", "[import]") {
  const auto bw = read("perftest", "write_bw.json");
  REQUIRE(bw.rows.size() == 1);
  CHECK(bw.rows.front().value == Approx(0.008154));
  CHECK(bw.rows.front().layout.number(Key::window, 0) == 128);
  const auto lat = read("perftest", "write_lat.json");
  CHECK(row(lat, 8, Metric::rtt).value == Approx(2 * 4004.85));
  CHECK(row(lat, 8, Metric::rtt_p99).value == Approx(2 * 30454.30));
  const auto quoted = perftest(
      "{\n\"test_info\": {\n\"test\": \"RDMA_Write_BW_Test\",\n\"Number_of_qps\": 2\n},\n"
      "\"results\": {\n\"MsgSize\": 64,\n\"n_iterations\": 5,\n\"MsgRate\": 1.5\n}\n}\n");
  CHECK(quoted.rows.at(0).value == 1.5);
  CHECK(quoted.rows.at(0).layout.number(Key::qps, 0) == 2);
}

TEST_CASE("aborted runs, unknown columns and contradictions are one clear line",
          "[import][input]") {
  CHECK_THROWS_WITH(read("perftest", "write_bw_cut_off.txt"), Contains("write_bw_cut_off.txt:38") &&
                                                                  Contains("cut off after 15") &&
                                                                  Contains("Terminated"));
  const auto partial = read("perftest", "write_bw_cut_off.txt", "", true);
  CHECK(partial.rows.size() == 14);  // one of them says 0
  CHECK_THAT(partial.warnings.front(), Contains("clock"));
  for (const auto& m : partial.rows) CHECK_THAT(m.note, Contains("cut off"));
  CHECK_THROWS_WITH(read("perftest", "write_bw_killed.txt"), Contains("Failed to exchange data"));
  CHECK_THROWS_WITH(read("perftest", "write_bw_no_server.txt"), Contains("Unable to"));
  CHECK_THROWS_WITH(perftest(""), Contains("p.txt:1") && Contains("no results"));
  const auto good = fixture("write_bw_q4.txt");
  const auto edited = [&](const std::string& from, const std::string& to) {
    auto text = good;
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  CHECK_THROWS_WITH(perftest(edited("MsgRate[Mpps]", "Wonder[Mpps]")),
                    Contains("Wonder[Mpps]: a column that is not known"));
  CHECK_THROWS_WITH(perftest(edited("RDMA_Write BW", "RDMA_Read BW")),
                    Contains("RDMA_Read BW Test: only ib_write"));
  CHECK_THROWS_WITH(perftest(edited("[MB/sec]   MsgRate", "[Gb/sec]   MsgRate")),
                    Contains("disagree"));
  CHECK_THROWS_WITH(perftest(good, "qps=2"),
                    Contains("qps: the output says 4, the command line 2"));
  CHECK(perftest(good, "host_state=warm")
            .rows.at(0)
            .layout.choice(Key::host_state, HostState::cold) == HostState::warm);
  const auto json = fixture("write_bw.json");
  CHECK_THROWS_WITH(perftest(json.substr(0, json.size() / 2)), Contains("was the run aborted"));
  CHECK_THROWS_WITH(perftest("{\ntest_info: {\ntest: RDMA_Write_BW_Test,\n},\n}\n"),
                    Contains("results: none"));
  CHECK_THROWS_WITH(import::run("iperf", "", "x", {}), Contains("not one of perftest"));
}

TEST_CASE("NVSHMEM's tables, boxes and machine-readable lines", "[import]") {
  const auto lat =
      read("nvshmem-perftest", "nvshmem_put_latency.txt", "library=nvshmem-ibgda;qps=2");
  REQUIRE(lat.rows.size() == 2);
  CHECK(row(lat, 8, Metric::put_completion).value == 6.125);
  CHECK(lat.rows.front().library == "nvshmem-ibgda");
  CHECK(lat.rows.front().layout.number(Key::qps, 0) == 2);
  CHECK(lat.warnings.size() == 2);  // puts by a warp, gets
  const auto bw = read("nvshmem-perftest", "nvshmem_put_bw_boxed.txt", "library=nvshmem-ibgda");
  CHECK(row(bw, 32768, Metric::goodput).value == 21.25);  // 1 MiB by 32 CTAs
  CHECK(row(bw, 32, Metric::goodput).layout.number(Key::threads, 0) == 32);
  const auto eight = read("nvshmem-perftest", "nvshmem_put_bw_boxed.txt", "threads=8");
  CHECK(row(eight, 131072, Metric::goodput).value == 21.25);
  const auto machine = read("nvshmem-perftest", "nvshmem_machine.txt", "library=nvshmem-ibgda");
  CHECK(row(machine, 8, Metric::put_completion).value == 5.25);
  CHECK(row(machine, 8, Metric::rtt).value == 11.5);
  CHECK(row(machine, 8192, Metric::rate).value == 2.5);
  const auto fails = [](const std::string& text, const char* about) {
    CHECK_THROWS_WITH(import::nvshmem_perftest(text, "n.txt", {}), Contains(about));
  };
  fails("", "no results");
  fails("#shmem_get_latency\nsize(B)  scope  latency (us)\n8  thread  5\n", "no row is left");
  fails("#shmem_put_latency\nsize(B)  scope  latency (us)\n8  thread\n", "n.txt:3: 8: 2 values");
  fails("#shmem_put_latency\nsize(B)  scope  latency (ms)\n8  thread  5\n", "ms: expected");
  fails("| shmem_put_bw | None |\n| size (Bytes) | BW (GB/sec) |\n| 8 | 0.", "n.txt:3: |: the row");
  fails("&&&& PERF shmem_put_bw 5 +GB/sec\n", "n.txt:1: shmem_put_bw: expected TEST");
}

TEST_CASE("nccl-tests: point-to-point tables of ranks on nodes of their own", "[import]") {
  const auto a2a = read("nccl-tests", "nccl_alltoall.txt");
  REQUIRE(a2a.rows.size() == 2);
  const auto& m = row(a2a, 2097152, Metric::goodput);
  CHECK(m.value == 20.30);
  CHECK(m.layout.number(Key::pes, 0) == 4);
  CHECK(m.layout.choice(Key::role, Role::send) == Role::all_to_all);
  CHECK_THAT(a2a.warnings.front(), Contains("1 sizes below 65536 B a peer"));
  const auto sr = read("nccl-tests", "nccl_sendrecv.txt");
  CHECK(row(sr, 1048576, Metric::goodput).layout.choice(Key::role, Role::send) ==
        Role::bidirectional);
  const auto edited = [](std::string from, const std::string& to) {
    auto text = fixture("nccl_alltoall.txt");
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  };
  const auto fails = [](const std::string& text, const char* about) {
    CHECK_THROWS_WITH(import::nccl_tests(text, "c.txt", {}), Contains(about));
  };
  fails("", "no nccl-tests table");
  fails(edited("alltoall_perf", "all_reduce_perf"), "only alltoall_perf and sendrecv_perf");
  fails(edited("node-b", "node-a"), "c.txt:6: Rank: two ranks on one host");
  fails(edited("   20.30      0", "   20.30      7"), "7 wrong values");
  fails(edited("busbw", "sidebw"), "busbw: the table has no such column");
  const auto whole = fixture("nccl_alltoall.txt");
  fails(whole.substr(0, whole.find("# Out of")), "cut off before its summary");
}

namespace {

/// What perftest would print on a platform, with its digits.
class SyntheticPerftest {
 public:
  explicit SyntheticPerftest(const Platform& truth) : solver_{truth} {}

  std::string bandwidth(int qps, int post_list, bool both, const std::vector<int>& sizes) {
    std::string text = fmt::format(
        "                    RDMA_Write {}BW Test\n Number of qps   : {}\t\tTransport type : IB\n"
        " Connection type : RC\t\tUsing SRQ      : OFF\n TX depth        : 128\n"
        " Post List       : {}\n CQ Moderation   : {}\n Max inline data : 0[B]\n{}\n"
        " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n",
        both ? "Bidirectional " : "", qps, post_list, post_list, rule_);
    for (const int size : sizes) {
      const double directions = both ? 2 : 1;
      const double rate =
          directions *
          point(Metric::rate, fmt::format("submitter=host;threads=1;workers=1;qps={};batch={};"
                                          "payload={};inline=0;{}role={};writes_per_visit={}",
                                          qps, post_list, size,
                                          qps > 8192 ? "" : fmt::format("window={};", 128 * qps),
                                          both ? "bidirectional" : "send", post_list));
      text += fmt::format(" {:<10} 5000             {:.2f}  {:.2f}   \t\t   {:.6f}\n", size,
                          rate * size / 1.048576, rate * size / 1.048576, rate);
    }
    return text + rule_ + "\n";
  }

  std::string latency(const std::vector<int>& sizes) {
    std::string text = fmt::format(
        "                    RDMA_Write Latency Test\n Number of qps   : 1\t\tTransport type : IB\n"
        " TX depth        : 1\n Max inline data : 0[B]\n{}\n"
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    "
        "t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n",
        rule_);
    for (const int size : sizes) {
      const auto layout = fmt::format(
          "submitter=host;threads=1;workers=1;qps=1;batch=1;payload={};"
          "inline=0",
          size);
      const double half = point(Metric::rtt, layout) / 2;
      text += fmt::format(" {} 1000 {:.2f} {:.2f} {:.2f} {:.2f} 0.1 {:.2f} {:.2f}\n", size, half,
                          half, half, half, point(Metric::rtt_p99, layout) / 2, half);
    }
    return text + rule_ + "\n";
  }

 private:
  double point(Metric metric, const std::string& layout) {
    return solver_.point({metric, Statistic::value, {parse_layout(layout, "test"), nullptr}, {}});
  }

  AnalyticSolver solver_;
  std::string rule_ = std::string(80, '-');
};

}  // namespace

TEST_CASE("a cluster known by ib_write_bw, ib_write_lat and a QP sweep is calibrated",
          "[import][calibrate]") {
  auto truth = testing::prior_platform();
  truth.name = "mine";
  const auto set = [&](const char* name, double value) {
    truth.parameters.push_back({name, "", value, 0, 0, Provenance::fitted, {}, ""});
  };
  set("nic.ceiling", 18);  // below what one posting thread of the priors' host can do in lists
  set("wire.line_rate", 24.2);
  set("nic.visible", 1.6);
  set("conn.onset_bidirectional", 180);
  set("conn.decline_bidirectional", 0.42);
  truth.parameters.push_back({"host.speed", "", 2.5, 0, 0, Provenance::fitted, {}, ""});

  SyntheticPerftest tool{truth};
  std::vector<Measurement> rows;
  int file = 0;
  const auto take = [&](const std::string& text) {
    import::Options o;
    o.platform = "mine";
    for (auto& m : import::perftest(text, fmt::format("run{}.txt", file++), o).rows)
      rows.push_back(std::move(m));
  };
  std::vector<int> all;  // the sizes of -a
  for (int size = 2; size <= 1 << 23; size *= 2) all.push_back(size);
  for (const int post_list : {1, 4, 16, 64}) take(tool.bandwidth(4, post_list, false, all));
  for (int qps = 1; qps <= 16384; qps *= 2) take(tool.bandwidth(qps, 64, true, {8}));
  take(tool.latency(all));

  PlatformFacts facts;
  facts.link_gbit_per_s = 200;
  facts.nic = "a NIC";
  calibrate::Options options;
  options.leave_one_out = false;
  const auto c = calibrate::calibrate(rows, {{"mine", facts}},
                                      io::read_presets("scenarios/libraries"), "perftest", options);
  REQUIRE(c.platforms.size() == 1);
  const auto& fitted = c.platforms.front();
  const auto within = [&](const char* name, double value, double tolerance) {
    const auto* p = fitted.find(name);
    INFO(name);
    REQUIRE(p);
    INFO(p->value << " against " << value);
    CHECK(p->provenance == Provenance::fitted);
    CHECK(std::abs(std::log(p->value / value)) < tolerance);
  };
  within("nic.ceiling", 18, 0.1);
  within("wire.line_rate", 24.2, 0.05);
  within("conn.onset_bidirectional", 180, 0.2);
  within("conn.decline_bidirectional", 0.42, 0.1);
  // The base latency is a sum of which perftest sees the whole: the platform forecasts it.
  AnalyticSolver solver{fitted}, known{truth};
  const Question base{
      Metric::rtt,
      Statistic::value,
      {parse_layout("submitter=host;threads=1;workers=1;payload=8;inline=0", "t"), nullptr},
      {}};
  CHECK(solver.point(base) == Approx(known.point(base)).epsilon(0.03));
  // What perftest cannot see stays assumed.
  for (const char* name : {"gpu.wqe_build", "gpu.order_gpu", "dc.switch"}) {
    const auto* p = fitted.find(name);
    if (p) CHECK(p->provenance == Provenance::assumed);
  }
}

TEST_CASE("a table pasted twice counts once, a repeated run twice, and both are said", "[import]") {
  const auto once = fixture("write_bw_q4.txt");
  const auto rows = perftest(once).rows.size();
  const auto twice = perftest(once + once);
  CHECK(twice.rows.size() == rows);
  REQUIRE(twice.warnings.size() == 1);
  CHECK_THAT(twice.warnings.front(), Contains("duplicate-table") && Contains("line 2,"));
  // Another run of the same command: other digits.
  auto again = once;
  again.replace(again.find("0.012080"), 8, "0.012081");
  const auto repeated = perftest(once + again);
  CHECK(repeated.rows.size() == 2 * rows);
  REQUIRE(repeated.warnings.size() == 1);
  CHECK_THAT(repeated.warnings.front(), Contains("repeated-layout"));
}

TEST_CASE("output of another tool: named, with what would read it", "[import][input]") {
  struct Wrong {
    const char *format, *text, *expected;
  };
  const auto nccl = fixture("nccl_alltoall.txt"), nvshmem = fixture("nvshmem_put_latency.txt"),
             bandwidth = fixture("write_bw_q4.txt"), json = fixture("write_bw.json");
  for (const auto& [format, text, expected] :
       {Wrong{"perftest", nccl.c_str(),
              "x.txt:1: perftest: this is output of nccl-tests; qpcast "
              "import nccl-tests reads it"},
        Wrong{"perftest", nvshmem.c_str(), "output of nvshmem-perftest; qpcast import"},
        Wrong{"nccl-tests", bandwidth.c_str(), "output of perftest; qpcast import perftest"},
        Wrong{"nvshmem-perftest", json.c_str(), "output of perftest"},
        Wrong{"nvshmem-perftest", nccl.c_str(), "output of nccl-tests"},
        Wrong{"perftest", "a\nb\n# OSU MPI Latency Test v7\n",
              "x.txt:3: perftest: this is output "
              "of OSU"},
        Wrong{"perftest", R"({"schema":"qpcast.measurement/1","id":"a"})", "need no import"}}) {
    INFO(format << ": " << expected);
    CHECK_THROWS_WITH(import::run(format, text, "x.txt", {}), Contains(expected));
  }
}
