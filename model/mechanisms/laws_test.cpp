/// Laws that every calibration must keep: monotone where physics says so, right in the limits.
#include <catch2/catch.hpp>
#include <cmath>

#include "model/analytic/metrics.hpp"
#include "model/mechanisms/inline_data.hpp"
#include "model/mechanisms/paced_nic.hpp"
#include "model/mechanisms/submission.hpp"
#include "model/mechanisms/wire.hpp"
#include "model/mechanisms/wqe.hpp"
#include "model/testing.hpp"

using namespace qpcast;

namespace {

const Platform platform = testing::prior_platform();

double metric_of(Metric metric, const std::string& text) {
  ParameterValues values{platform};
  const auto setup = resolve(parse_layout(text, "test"), nullptr, platform.facts, values);
  return evaluate(metric, setup, values, solve(setup, values));
}

double rate(const std::string& text) { return metric_of(Metric::rate, text); }

/// The metric over a list of values of one key, appended to the text.
std::vector<double> over(Metric metric, const std::string& text, const std::string& key,
                         std::initializer_list<int> values) {
  std::vector<double> out;
  for (const int v : values)
    out.push_back(metric_of(metric, text + ";" + key + "=" + std::to_string(v)));
  return out;
}

bool rises(const std::vector<double>& v) { return std::is_sorted(v.begin(), v.end()); }
bool falls(const std::vector<double>& v) { return std::is_sorted(v.rbegin(), v.rend()); }

}  // namespace

TEST_CASE("batching: more per doorbell is never slower, and leaves one call and one ordering") {
  const std::string one = "submitter=gpu;threads=1;qps=1";
  CHECK(rises(over(Metric::rate, one, "batch", {1, 2, 4, 8, 16, 32, 64, 128, 256})));
  ParameterValues values{platform};
  const double build = values.get(Param::gpu_wqe_build);
  const double once =
      values.get(values.profile("mini-gda"), Cost::issue) + values.get(Param::gpu_order_stream);
  CHECK(rate(one + ";batch=256") < 1 / build);
  CHECK(rate(one + ";batch=256") == Approx(1 / (build + once / 256)).epsilon(0.02));
}

TEST_CASE("queues: the rate scales with queue pairs until the NIC's ceiling") {
  const std::string text = "submitter=gpu;batch=16";
  ParameterValues values{platform};
  const auto at = [&](int n) {
    const auto k = std::to_string(n);
    return rate(text + ";threads=" + k + ";qps=" + k + ";sms=" + k);
  };
  CHECK(at(4) == Approx(4 * at(1)));
  CHECK(at(512) == Approx(values.get(Param::nic_ceiling)));
}

TEST_CASE("threads on one SM contend") {
  CHECK(rate("threads=32;qps=32;sms=1") < rate("threads=32;qps=32;sms=32"));
}

TEST_CASE("ordering: wider scopes cost more, none costs nothing") {
  const ParameterValues values{platform};
  CHECK(submission::order_cost(Ordering::none, values).us() == 0);
  CHECK(submission::order_cost(Ordering::release, values) <
        submission::order_cost(Ordering::system, values));
  CHECK(metric_of(Metric::issue, "ordering=none") < metric_of(Metric::issue, "ordering=gpu"));
}

TEST_CASE("inline: each 16 B costs the GPU, a pointer costs the NIC a read") {
  CHECK(rises(over(Metric::issue, "inline=1", "payload", {8, 24, 40, 100, 200})));
  CHECK(metric_of(Metric::put_completion, "inline=1;payload=8") <
        metric_of(Metric::put_completion, "inline=0;payload=8"));
  CHECK(metric_of(Metric::put_completion, "inline=1;payload=220") >
        metric_of(Metric::put_completion, "inline=0;payload=220"));
}

TEST_CASE("inline: in a stream the same segments cost what a stream's stores cost") {
  ParameterValues values{platform};
  const std::string stream = "threads=1;qps=1;batch=256;inline=1;payload=";
  // 12 B fill the header's segment, 28 B one more.
  const double further = 1 / rate(stream + "28") - 1 / rate(stream + "12");
  CHECK(further == Approx(values.get(Param::gpu_inline_stream)));
  CHECK(metric_of(Metric::issue, "inline=1;payload=28") -
            metric_of(Metric::issue, "inline=1;payload=12") ==
        Approx(values.get(Param::gpu_inline_chunk)));
}

TEST_CASE("publication: a lock holds both of a put's orderings, a turn the second") {
  const auto section = [](const std::string& publication, const std::string& ordering) {
    return 1 / rate("threads=64;qps=1;sms=2;publication=" + publication + ";ordering=" + ordering);
  };
  const double locked = section("lock-per-wqe", "system") - section("lock-per-wqe", "gpu");
  const double turn = section("thread-handoff", "system") - section("thread-handoff", "gpu");
  CHECK(locked > 0);
  CHECK(turn == Approx(locked / 2));
  ParameterValues values{platform};
  const double lock = values.get(values.profile("mini-gda"), Cost::lock);
  CHECK(section("lock-per-wqe", "gpu") - section("thread-handoff", "gpu") == Approx(lock));
}

TEST_CASE("submission: a release exchange with a record in host memory crosses PCIe") {
  ParameterValues values{platform};
  const auto issue = [](const std::string& text) { return metric_of(Metric::issue, text); };
  CHECK(issue("ordering=release;queue_memory=host") - issue("ordering=release;queue_memory=gpu") ==
        Approx(values.get(Param::gpu_host_exchange)));
  CHECK(issue("ordering=gpu;queue_memory=host") == issue("ordering=gpu;queue_memory=gpu"));
}

TEST_CASE("proxy: a producer pays for its window's looks, and baseline for its neighbours") {
  ParameterValues values{platform};
  const auto producer = [&](const std::string& text) {
    const auto setup = resolve(parse_layout("submitter=proxy;workers=8;rings=8;" + text, "test"),
                               nullptr, platform.facts, values);
    return solve(setup, values).pipeline.service(Resource::submitter).us();
  };
  const double read = values.get(Param::gpu_host_read);
  CHECK(producer("handoff=tuned;threads=1;window=64") - producer("handoff=tuned;threads=1") ==
        Approx(read / 32));
  const double exchange = values.get(Param::gpu_host_exchange);
  CHECK(producer("handoff=baseline;threads=4") - producer("handoff=baseline;threads=1") ==
        Approx(0.75 * exchange));
}

TEST_CASE("WQE: sizes follow the segment layout") {
  Setup s;
  s.payload = Bytes{8};
  CHECK(wqe::segments(s) == 3);
  CHECK(wqe::blocks(s) == 1);
  s.payload = Bytes{28};  // 4 B header and 28 B: exactly two segments
  CHECK(wqe::segments(s) == 4);
  s.payload = Bytes{29};
  CHECK(wqe::segments(s) == 5);
  CHECK(wqe::blocks(s) == 2);
  s.payload = Bytes{wqe::max_inline_payload};
  CHECK(wqe::blocks(s) == 4);
  s.inlined = false;
  CHECK(wqe::segments(s) == 3);
  s.transport = Transport::dc;
  CHECK(wqe::segments(s) == 4);
}

TEST_CASE("publication: cooperation beats a lock, drift loses what synchronisation keeps") {
  const std::string text = "threads=256;qps=1;batch=32;publication=";
  CHECK(rate(text + "warp-cooperative") > rate(text + "lock-per-wqe"));
  CHECK(rate(text + "warp-synchronised") > rate(text + "warp-drifting"));
  CHECK(rate("threads=32;qps=1;batch=32;publication=warp-cooperative") <
        rate("threads=256;qps=1;batch=32;publication=warp-cooperative"));
}

TEST_CASE("completion: one QP is flat in the queue pairs, all QPs is a straight line") {
  const auto flat =
      over(Metric::put_completion, "threads=1;completion=per-qp", "qps", {1, 16, 256});
  CHECK(flat.front() == Approx(flat.back()));
  const auto line = over(Metric::put_completion, "threads=1;completion=all-qp", "qps", {1, 2, 3});
  CHECK(line[1] - line[0] == Approx(line[2] - line[1]));
  CHECK(line[1] > line[0]);
}

TEST_CASE("clock: T(f) = C/f + B") {
  const auto issue = [](double f) {
    return metric_of(Metric::issue, "clock_mhz=" + std::to_string(f));
  };
  // Three clocks on one line in 1/f.
  const double slope = (issue(500) - issue(1000)) / (1 / 500.0 - 1 / 1000.0);
  CHECK(issue(2000) == Approx(issue(1000) + slope * (1 / 2000.0 - 1 / 1000.0)));
  CHECK(metric_of(Metric::issue_clock_share, "clock_mhz=500") >
        metric_of(Metric::issue_clock_share, "clock_mhz=2000"));
}

TEST_CASE("proxy: batching, workers and a warm host help; a shared count undoes workers") {
  const std::string text = "submitter=proxy;threads=1024;rings=32";
  CHECK(rises(over(Metric::rate, text + ";workers=1", "batch", {1, 2, 4, 8, 16})));
  CHECK(rises(over(Metric::rate, text + ";batch=1", "workers", {1, 2, 4, 8})));
  CHECK(rate(text + ";host_state=warm") > rate(text + ";host_state=cold"));
  CHECK(rate(text + ";workers=8;shared_refcount=1") == Approx(rate(text + ";workers=1")));
  CHECK(metric_of(Metric::issue, "submitter=proxy;handoff=tuned") ==
        Approx(metric_of(Metric::issue, "submitter=proxy;handoff=baseline")));  // one prior
}

TEST_CASE("backlog: a shared queue waits for everyone, a private one for nobody") {
  const std::string text =
      "submitter=gpu;threads=512;sms=64;contexts=64;window=1;background_ctas=64;queue=";
  const double shared_wait = metric_of(Metric::rtt, text + "shared");
  const double one = metric_of(Metric::rtt, text + "shared-with-one");
  const double alone = metric_of(Metric::rtt, text + "private");
  CHECK(alone < one);
  CHECK(one <= shared_wait);
  const std::string fifo = "submitter=proxy;threads=1;workers=1;rings=1;queue=shared";
  CHECK(rises(over(Metric::rtt, fifo, "background_ctas", {1, 4, 16, 64})));
  CHECK(metric_of(Metric::rtt, fifo + ";background_ctas=64") >
        1000 * metric_of(Metric::rtt, "submitter=proxy;threads=1"));
}

TEST_CASE("connections: onset, decline, reuse, role and payload") {
  const std::string text = "role=all-to-all;payload=8;writes_per_visit=";
  const auto w32 = over(Metric::rate, text + "32", "active_qps", {16, 512, 4096, 32768});
  CHECK(falls(w32));
  CHECK(w32[0] == Approx(w32[1]));
  CHECK(rate(text + "8192;active_qps=4096") > rate(text + "32;active_qps=4096"));
  CHECK(rate(text + "1;active_qps=4096") < rate(text + "32;active_qps=4096"));
  CHECK(rate("role=send;active_qps=32768") == Approx(rate("role=send;active_qps=16")));
  CHECK(rate("role=send;active_qps=64") > rate("role=bidirectional;active_qps=64"));
  const auto kept = [&](const std::string& payload) {
    const std::string p = ";writes_per_visit=32;payload=" + payload;
    return rate("role=bidirectional;active_qps=32768" + p) / rate("role=send;active_qps=32768" + p);
  };
  CHECK(kept("8") < kept("4096"));
  CHECK(kept("4096") == Approx(1));
}

TEST_CASE("DC: an operation costs a little, switching every WQE a lot, bursts recover it") {
  CHECK(metric_of(Metric::put_completion, "transport=dc") >
        metric_of(Metric::put_completion, "transport=rc"));
  const std::string text = "role=all-to-all;pes=8;active_qps=64;transport=dc;writes_per_visit=";
  CHECK(rate(text + "32") > 10 * rate(text + "1"));
  CHECK(rises({rate(text + "1"), rate(text + "2"), rate(text + "8"), rate(text + "32")}));
}

TEST_CASE("CPU-assisted: later completion, same peak") {
  CHECK(metric_of(Metric::put_completion, "submitter=cpu-assisted") >
        metric_of(Metric::put_completion, "submitter=gpu"));
  const std::string peak = ";threads=4096;qps=16;sms=16;batch=32";
  CHECK(rate("submitter=cpu-assisted" + peak) == Approx(rate("submitter=gpu" + peak)));
}

TEST_CASE("wire: goodput rises to the line rate less headers, and not beyond") {
  const std::string text = "threads=4096;qps=16;sms=16;batch=32";
  const auto g = over(Metric::goodput, text, "payload", {8, 64, 512, 4096, 65536});
  CHECK(rises(g));
  const ParameterValues values{platform};
  CHECK(g.back() < values.get(Param::wire_line_rate));
  CHECK(g.back() == Approx(values.get(Param::wire_line_rate) * 4096 / (4096 + 42)));
  const double knee = metric_of(Metric::payload_at_90pct_line_rate, text);
  CHECK(metric_of(Metric::goodput, text + ";payload=" + std::to_string(int(knee) + 1)) >=
        0.9 * g.back());
  CHECK(metric_of(Metric::goodput, text + ";payload=" + std::to_string(int(knee) - 1)) <
        0.9 * g.back());
}

TEST_CASE("geography: only coherent platforms pay for trips to GPU memory") {
  ParameterValues values{platform};
  auto coherent = platform.facts;
  coherent.coherent = true;
  const auto completion = [&](const PlatformFacts& facts, const char* text) {
    const auto s = resolve(parse_layout(text, "test"), nullptr, facts, values);
    return evaluate(Metric::doorbell_to_cqe, s, values, solve(s, values));
  };
  const double trip = values.get(Param::nic_geography);
  CHECK(completion(coherent, "queue_memory=gpu") - completion(platform.facts, "queue_memory=gpu") ==
        Approx(3 * trip));
  CHECK(completion(coherent, "queue_memory=host") -
            completion(platform.facts, "queue_memory=host") ==
        Approx(trip));
}

TEST_CASE("software NIC: who runs the program pays for it") {
  ParameterValues values{platform};
  const auto ask = [&](NicKind kind, Metric metric, const std::string& text) {
    auto facts = platform.facts;
    facts.nic_kind = kind;
    facts.mtu = 1024;
    const auto s = resolve(parse_layout(text, "test"), nullptr, facts, values);
    return evaluate(metric, s, values, solve(s, values));
  };
  const std::string host = "submitter=host;batch=4;window=64;payload=";
  // Inside the post: part of the call, and one more packet costs one more packet's time.
  CHECK(ask(NicKind::in_post, Metric::issue, host + "8") >
        ask(NicKind::with_queues, Metric::issue, host + "8"));
  const auto issue = [&](int payload) {
    return ask(NicKind::in_post, Metric::issue, host + std::to_string(payload));
  };
  const double per_kib = issue(1024) - issue(512);
  CHECK(issue(2048) - issue(1024) > 2 * per_kib);
  CHECK(issue(3072) - issue(2048) == Approx(issue(2048) - issue(1024)));
  // On a thread of its own it is the engine: the rate is bound by it once the post is cheaper.
  values[ParameterValues::index(Param::soft_message)] = 100;
  const auto in_host = host + "8;queue_memory=host";
  CHECK(ask(NicKind::with_queues, Metric::rate, in_host) < 1 / 100.0);
  CHECK(ask(NicKind::sink, Metric::rate, in_host) > 1 / 100.0);
  CHECK(ask(NicKind::hardware, Metric::rate, host + "8") > 1 / 100.0);
  // A kernel serves every queue pair in GPU memory by itself.
  values[ParameterValues::index(Param::soft_gpu_message)] = 100;
  const auto gpu = [&](int qps) {
    const auto n = std::to_string(qps);
    return ask(NicKind::with_queues, Metric::rate,
               "submitter=gpu;queue_memory=gpu;threads=" + n + ";qps=" + n + ";sms=" + n);
  };
  CHECK(gpu(8) == Approx(8 * gpu(1)));
}

TEST_CASE("software NIC: a line that is polled less often costs a post less") {
  ParameterValues values{platform};
  auto facts = platform.facts;
  facts.nic_kind = NicKind::sink;
  const auto issue = [&](const std::string& text) {
    const auto s = resolve(parse_layout(text, "test"), nullptr, facts, values);
    return evaluate(Metric::issue, s, values, solve(s, values));
  };
  const double contention = values.get(Param::soft_contention);
  CHECK(issue("submitter=host;qps=1") - issue("submitter=host;qps=4") == Approx(0.75 * contention));
}

TEST_CASE("software NIC: a program that performs a long message looks at the line less often") {
  ParameterValues values{platform};
  auto facts = platform.facts;
  facts.nic_kind = NicKind::with_queues;
  const auto issue = [&](double kib_us, int payload) {
    values[ParameterValues::index(Param::soft_kib)] = kib_us;
    const auto s = resolve(
        parse_layout("submitter=host;qps=1;inline=0;payload=" + std::to_string(payload), "test"),
        nullptr, facts, values);
    return evaluate(Metric::issue, s, values, solve(s, values));
  };
  const double contention = values.get(Param::soft_contention);
  values[ParameterValues::index(Param::soft_message)] = 1e-6;
  const double quick = issue(1e-6, 4096), slow = issue(10, 4096);
  CHECK(quick - slow == Approx(contention).epsilon(0.01));
  double last = quick;
  for (const int payload : {64, 256, 1024, 2048, 4096}) {
    INFO(payload);
    CHECK(issue(1, payload) <= last);
    last = issue(1, payload);
  }
}

TEST_CASE("software NIC: a fence at system scope waits for a kernel's look in flight") {
  ParameterValues values{platform};
  auto facts = platform.facts;
  facts.nic_kind = NicKind::with_queues;
  const auto issue = [&](const char* ordering, const char* memory) {
    const auto s = resolve(
        parse_layout(std::string{"submitter=gpu;ordering="} + ordering + ";queue_memory=" + memory,
                     "test"),
        nullptr, facts, values);
    return evaluate(Metric::issue, s, values, solve(s, values));
  };
  CHECK(issue("system", "gpu") - issue("system", "host") ==
        Approx(values.get(Param::soft_gpu_look) / 2));
  CHECK(issue("gpu", "gpu") == Approx(issue("gpu", "host")));
}

TEST_CASE("library overhead: a bare transport pays what its platform has of it, and else nothing") {
  const auto issue = [](const Platform& on) {
    ParameterValues values{on};
    const auto s = resolve(parse_layout("submitter=gpu;ordering=gpu", "test"), nullptr,
                           platform.facts, values);
    return evaluate(Metric::issue, s, values, solve(s, values));
  };
  const auto known = [](const char* name, double us) {
    Parameter p;
    p.name = name;
    p.value = us;
    return p;
  };
  Platform bare = platform, with = platform;
  bare.parameters = {known("gpu.order_gpu", 0.5)};
  with.parameters = {known("gpu.order_gpu", 0.5), known("library.mini-gda.issue", 0.25)};
  Platform unknown = platform;
  unknown.parameters.clear();
  CHECK(issue(with) - issue(bare) == Approx(0.25).epsilon(0.02));
  CHECK(issue(unknown) > issue(bare));  // nobody has measured anything: what libraries usually cost
}

TEST_CASE("paced NIC: the share of misses keeps its equation, and its ends") {
  CHECK(paced_nic::miss_share(0.5) == 0);
  CHECK(paced_nic::miss_share(1) == 0);
  double last = 0;
  for (const double excess : {1.0001, 1.01, 1.1, 1.5, 2.0, 4.0, 16.0, 1000.0}) {
    const double m = paced_nic::miss_share(excess);
    INFO(excess);
    CHECK(m > last);
    CHECK(1 - m == Approx(std::exp(-excess * m)).margin(1e-9));
    last = m;
  }
  CHECK(last == Approx(1));
  CHECK(paced_nic::miss_share(1.0001) == Approx(2e-4).epsilon(0.01));  // 2 (excess - 1) near 1
}

TEST_CASE("paced NIC: the imposed rate while contexts fit, then a fetch per visit") {
  ParameterValues values{platform};
  values[ParameterValues::index(Param::nic_ceiling)] = 0.5;
  values[ParameterValues::index(Param::conn_onset_bidirectional)] = 32;
  values[ParameterValues::index(Param::conn_miss)] = 40;
  auto facts = platform.facts;
  facts.nic_kind = NicKind::paced;
  const auto interval = [&](int active, const std::string& role, const std::string& more) {
    const auto text = "active_qps=" + std::to_string(active) +
                      ";window=" + std::to_string(100 * active) + ";role=" + role + more;
    const auto s = resolve(parse_layout(text, "test"), nullptr, facts, values);
    return build_pipeline(s, values).service(Resource::engine).us();
  };
  const std::string host = ";submitter=host;batch=16;writes_per_visit=";
  for (const auto* role : {"send", "bidirectional"}) {
    CHECK(interval(8, role, host + "32") == Approx(2));
    CHECK(interval(32, role, host + "32") == Approx(2));
    CHECK(interval(64, role, host + "32") == Approx(2 + 40 * 0.796812 / 32));
    CHECK(interval(6400, role, host + "32") == Approx(2 + 40.0 / 32));
    // A turn is 32 messages at most.
    CHECK(interval(64, role, host + "64") == Approx(interval(64, role, host + "32")));
    CHECK(interval(64, role, host + "16") > interval(64, role, host + "32"));
  }
  // What GPU threads submit is served by a program that imposes nothing.
  values[ParameterValues::index(Param::nic_ceiling)] = 1e-3;
  CHECK(interval(64, "send", ";submitter=gpu;queue_memory=host") < 1000);
}

TEST_CASE("a host that posts itself: the post is its issue, shared by a batch") {
  const std::string text = "submitter=host;window=256;batch=";
  CHECK(falls(over(Metric::issue, "submitter=host;window=256", "batch", {1, 2, 4, 16})));
  // In a stream, beside the posts, a visit to the queue pair per half window.
  CHECK(metric_of(Metric::issue, text + "1") < 1 / rate(text + "1"));
  CHECK(rises(over(Metric::rate, "submitter=host;window=4096", "writes_per_visit", {1, 2, 8, 64})));
  // With a worker, as fabric-lib has one, somebody else posts.
  CHECK(metric_of(Metric::issue, "submitter=host;workers=1") == 0);
  CHECK(metric_of(Metric::issue, "submitter=host;payload=100;inline=1") >
        metric_of(Metric::issue, "submitter=host;payload=8;inline=1"));
}

TEST_CASE("a host that posts itself waits for whole chains") {
  const std::string one = "submitter=host;batch=8;window=";
  CHECK(rate(one + "8") == Approx(rate(one + "15")));  // the second chain does not fit
  CHECK(rate(one + "16") > 1.2 * rate(one + "8"));
  // A window smaller than a chain makes the chain shorter, as the bench's refill does.
  CHECK(rate("submitter=host;batch=8;window=4") == Approx(rate("submitter=host;batch=4;window=4")));
  // Threads have a window each.
  CHECK(rate("submitter=host;batch=8;threads=2;window=8") == Approx(rate(one + "16")));
  // One chain at a time: its posts and its way do not overlap.
  const double alone = 8 / rate(one + "8;writes_per_visit=64");
  CHECK(alone > metric_of(Metric::put_completion, one + "8"));
}

TEST_CASE("shared queues: the section pays for the scope that it orders") {
  const std::string text = "threads=64;qps=1;publication=lock-per-wqe;ordering=";
  CHECK(rate(text + "system") < rate(text + "gpu"));
  CHECK(rate(text + "gpu") < rate(text + "none"));
}

TEST_CASE("a stated window is the backlog of one direction") {
  const std::string fifo =
      "submitter=proxy;threads=1;workers=1;rings=1;queue=shared;background_ctas=4;window=";
  const auto rtt = over(Metric::rtt, fifo.substr(0, fifo.rfind(';')), "window", {64, 128, 256});
  const double service = 1 / metric_of(Metric::carried_rate, fifo + "100000");
  CHECK(rtt[2] - rtt[1] == Approx(128 * service).epsilon(0.1));
}
