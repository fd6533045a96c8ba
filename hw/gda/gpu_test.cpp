// mini-gda on a real GPU against the emulated NIC. Every pass of GpuLink checks each payload byte
// and counts each completion; a pass that returns has been right.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <random>

#include "hw/gda/gpu_link.hpp"
#include "hw/nic/device_error.hpp"

using namespace qpcast;
using hw::GpuLink;
using hw::emulated::Imposed;
using hw::emulated::Mode;
using hw::emulated::Server;

namespace {

constexpr std::chrono::milliseconds patience{10'000};

Layout layout_of(const std::string& text) { return parse_layout(text, "test"); }

std::uint64_t budget() {
  const char* const text = std::getenv("QPCAST_GPU_WRITES");  // NOLINT(concurrency-mt-unsafe)
  return text ? std::strtoull(text, nullptr, 10) : 200'000;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : generator_{seed} {}
  template <class T>
  T of(std::initializer_list<T> choices) {
    return *(choices.begin() + upto(static_cast<int>(choices.size()) - 1));
  }
  int upto(int most) { return std::uniform_int_distribution{0, most}(generator_); }

 private:
  std::mt19937_64 generator_;
};

/// A layout that mini-gda can run, over the whole vocabulary.
std::string random_layout(Draw& draw, const char* memory) {
  const std::string strategy =
      draw.of<const char*>({"exclusive", "lock-per-wqe", "thread-handoff", "warp-cooperative",
                            "warp-synchronised", "warp-drifting"});
  const bool alone = strategy == "exclusive";
  const bool inlined = draw.upto(1) == 1;
  const int qps = alone ? draw.of({1, 2, 3, 16, 64}) : draw.of({1, 2, 4});
  const int threads = alone ? draw.of({1, qps}) : 32 * draw.of({1, 2, 3});
  const int batch = alone ? draw.of({1, 2, 7, 16, 100}) : strategy == "warp-cooperative" ? 32 : 1;
  const int payload = inlined ? 1 + draw.upto(219) : 1 + draw.upto(4095);
  // A handoff takes a warp per thread, and 64 warps are resident on an SM.
  const int sms = strategy == "thread-handoff" ? 2 : draw.of({1, 2});
  return fmt::format(
      "submitter={};qps={};threads={};sms={};batch={};payload={};inline={};ordering={};"
      "publication={};queue_memory={};transport={}",
      draw.of<const char*>({"gpu", "gpu", "cpu-assisted"}), qps, threads, sms, batch, payload,
      inlined ? 1 : 0, draw.of<const char*>({"gpu", "release", "system"}), strategy, memory,
      alone ? draw.of<const char*>({"rc", "dc"}) : "rc");
}

/// Random layouts until `most` messages are written; GpuLink checks each.
void write_at_random(const char* memory, std::uint64_t most) {
  Server server{Imposed{}};
  const auto nic = hw::emulated_gpu_nic(server);
  Draw draw{7};
  std::uint64_t written = 0;
  int layouts = 0;
  for (; written < most; ++layouts) {
    const auto text = random_layout(draw, memory);
    INFO(text);
    GpuLink link{*nic, layout_of(text), patience};
    // Twenty layouts or more, a target of up to 256 MiB each.
    const auto fits = (256ULL << 20) / ((link.layout().payload + 7) / 8 * 8);
    const auto each = std::min<std::uint64_t>(fits, most / 20) / link.layout().threads;
    written += link.rate(std::max<std::uint64_t>(each, link.layout().batch)).messages;
    REQUIRE(server.counters().errors == 0);
  }
  std::cout << memory << " memory: " << written << " writes over " << layouts
            << " layouts: every byte right\n";
}

}  // namespace

TEST_CASE("random layouts in host memory: every byte and every completion", "[gpu]") {
  write_at_random("host", budget());
}

TEST_CASE("random layouts in GPU memory: every byte and every completion", "[gpu]") {
  write_at_random("gpu", budget() / 50);  // a kernel serves them, more slowly
}

TEST_CASE("lone puts and pings complete, in every memory and scope", "[gpu]") {
  Server server{Imposed{}};
  const auto nic = hw::emulated_gpu_nic(server);
  const auto* memory = GENERATE("gpu", "host");
  const auto* ordering = GENERATE("none", "gpu", "release", "system");
  const auto text = fmt::format(
      "submitter=gpu;qps=4;threads=1;completion=all-qp;ordering={};"
      "queue_memory={}",
      ordering, memory);
  INFO(text);
  GpuLink link{*nic, layout_of(text), patience};
  const auto times = link.latency(200);
  CHECK(times.completion.size() == 200);
  for (std::size_t i = 0; i < times.issue.size(); ++i)
    REQUIRE(times.issue[i] < times.completion[i]);
  CHECK(times.sm_mhz > 100);
  CHECK(link.round_trip(200).times.size() == 200);
}

TEST_CASE("a sink retires what is announced and no more", "[gpu]") {
  Imposed imposed;
  imposed.mode = Mode::sink;
  Server server{imposed};
  const auto nic = hw::emulated_gpu_nic(server);
  const auto* text =
      GENERATE("submitter=gpu;threads=256;qps=1;publication=warp-cooperative;batch=32",
               "submitter=gpu;threads=16;qps=16;sms=16;batch=16",
               "submitter=gpu;threads=1;qps=1;batch=4;payload=200;inline=1");
  GpuLink link{*nic, layout_of(text), patience};
  CHECK(link.rate(20'000).messages >= 20'000);
}

TEST_CASE("a NIC that stops serving ends the pass with a reason", "[gpu][faults]") {
  Imposed imposed;
  imposed.fault = GENERATE(hw::emulated::Fault::device_removed, hw::emulated::Fault::queue_error,
                           hw::emulated::Fault::peer_dead);
  imposed.fault_after = 500;
  Server server{imposed};
  const auto nic = hw::emulated_gpu_nic(server);
  GpuLink link{*nic, layout_of("submitter=gpu;threads=1;qps=1;batch=4;queue_memory=host"),
               std::chrono::milliseconds{300}};
  CHECK_THROWS_AS(link.rate(100'000), hw::DeviceError);
}
