#include "hw/gda/gpu_layout.hpp"

#include <fmt/format.h>
#include <bit>
#include <catch2/catch.hpp>

#include "hw/gda/queue_pair.hpp"
#include "model/error.hpp"

using namespace qpcast;
using Catch::Contains;
using hw::gpu_layout;

namespace {
hw::GpuLayout of(const char* text) { return gpu_layout(parse_layout(text, "test")); }
}  // namespace

TEST_CASE("a layout's counts, WQE blocks and grid", "[gda]") {
  const auto one = of("submitter=gpu");
  CHECK(one.publication == Publication::exclusive);
  CHECK(one.blocks == 1);
  CHECK(one.grid_blocks * one.per_block == 1);
  // control, remote address, inline header and data: 16 + 16 + 4 + n B in blocks of 64.
  const auto n = GENERATE(1, 8, 28, 29, 92, 93, 156, 157, 220);
  const auto g = of(fmt::format("payload={};inline=1", n).c_str());
  CHECK(g.blocks == static_cast<std::uint32_t>((32 + 4 + n + 63) / 64));
  CHECK(of("payload=4096;inline=0").blocks == 1);
}

TEST_CASE("every thread is resident and every ring holds two batches", "[gda]") {
  const auto* text = GENERATE("threads=16384;qps=528;sms=132;publication=thread-handoff",
                              "threads=256;publication=warp-cooperative;batch=32",
                              "threads=1;qps=64;batch=256", "threads=528;qps=528;sms=132;batch=256",
                              "threads=2048;qps=4;sms=8;publication=warp-drifting");
  if (std::string{text}.starts_with("threads=16384")) {
    CHECK_THROWS_WITH(of(text), Contains("not resident together"));
    return;
  }
  const auto g = of(text);
  CHECK(g.grid_blocks * g.per_block >= g.threads);
  CHECK(g.per_block <= 1024);
  CHECK(std::has_single_bit(g.depth));
  CHECK(g.depth >= 2 * g.batch * g.blocks);
}

TEST_CASE("what mini-gda cannot do names the key", "[gda]") {
  CHECK_THROWS_WITH(of("qps=529"), Contains("qps: 529"));
  CHECK_THROWS_WITH(of("threads=4;qps=2;publication=exclusive"),
                    Contains("publication: exclusive needs"));
  CHECK_THROWS_WITH(of("threads=33;publication=warp-cooperative"), Contains("multiple of 32"));
  CHECK_THROWS_WITH(of("qps=65;threads=1"), Contains("a thread owns up to 64"));
  CHECK_THROWS_WITH(of("transport=dc;threads=64;publication=warp-cooperative"),
                    Contains("exclusive queue pairs only"));
}

TEST_CASE("a block's shared memory: what its threads own, within what the GPU has", "[gda]") {
  const auto* text = GENERATE("threads=300;qps=528;sms=1", "threads=4;qps=64;sms=1",
                              "threads=4;qps=64;sms=4", "threads=264;qps=528;sms=8");
  const auto g = of(text);
  INFO(text);
  const auto each = (g.qps + g.threads - 1) / g.threads;
  const std::size_t needed = std::size_t{each} * g.per_block * sizeof(hw::gda::Owned);
  CHECK_NOTHROW(hw::check_limits(g, {needed}));
  CHECK_THROWS_WITH(hw::check_limits(g, {needed - 1}),
                    Contains("qps: ") && Contains(fmt::format("{} B of queue pairs", needed)) &&
                        Contains(fmt::format("this GPU has {} B", needed - 1)));
}

TEST_CASE("a thread that owns one queue pair, or shares it, needs no shared memory", "[gda]") {
  const auto* text = GENERATE("threads=528;qps=528;sms=132", "threads=64;qps=4",
                              "threads=32;qps=2;publication=lock-per-wqe");
  CHECK_NOTHROW(hw::check_limits(of(text), {0}));
}
