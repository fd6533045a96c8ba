#include "hw/gda/gpu_layout.hpp"

#include <fmt/format.h>
#include <bit>
#include <catch2/catch.hpp>

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
