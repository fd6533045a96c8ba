#include <catch2/catch.hpp>
#include <stdexcept>

#include "hw/clocks/fake_nvml.hpp"
#include "hw/nic/device_error.hpp"

using namespace qpcast::hw;
using Catch::Contains;

TEST_CASE("a lock ends with its scope, whatever ends that", "[clocks]") {
  FakeNvml::Seen seen;
  NvmlClocks clocks{std::make_unique<FakeNvml>(seen)};
  {
    const LockedClock lock{clocks, 1200};
    CHECK(seen.locked == 1200);
  }
  CHECK(seen.locked == 0);
  try {
    const LockedClock lock{clocks, 900};
    throw std::runtime_error{"interrupted"};
  } catch (const std::runtime_error&) {
    CHECK(seen.locked == 0);
  }
  CHECK(seen.resets == 2);
}

TEST_CASE("a lock that is refused names the permission, and resets nothing", "[clocks]") {
  FakeNvml::Seen seen;
  NvmlClocks clocks{std::make_unique<FakeNvml>(seen)};
  const auto [code, words] = GENERATE(
      table<int, const char*>({{4, "needs root"}, {3, "cannot be set"}, {15, "NVML code 15"}}));
  seen.lock_code = code;
  CHECK_THROWS_WITH((LockedClock{clocks, 1200}), Contains(words));
  CHECK(seen.resets == 0);
}

TEST_CASE("a reset that fails ends nothing but is said", "[clocks]") {
  FakeNvml::Seen seen;
  NvmlClocks clocks{std::make_unique<FakeNvml>(seen)};
  {
    const LockedClock lock{clocks, 1200};
    seen.reset_code = 15;
  }
  CHECK(seen.locked == 1200);
  CHECK_THROWS_AS(clocks.reset(), DeviceError);
}

TEST_CASE("a sweep takes supported clocks from the fastest down", "[clocks]") {
  FakeNvml::Seen seen;
  NvmlClocks clocks{std::make_unique<FakeNvml>(seen)};
  const auto supported = clocks.supported();
  CHECK(supported.front() == 345);
  CHECK(supported.back() == 1980);
  const auto sweep = clocks_to_sweep(supported, 4);
  CHECK(sweep == std::vector<std::uint32_t>{540, 1020, 1500, 1980});
  CHECK(clocks_to_sweep({1000}, 4) == std::vector<std::uint32_t>{1000});
  CHECK(clocks_to_sweep({}, 4).empty());
}

TEST_CASE("a GPU that NVML does not know is an error that says what to do", "[clocks]") {
  // Without a driver the library is missing; with one, there is no GPU at this address.
  CHECK_THROWS_WITH(load_nvml("ffff:ff:1f.0"), Contains("libnvidia-ml.so.1") ||
                                                   Contains("no GPU at") ||
                                                   Contains("is the driver loaded"));
}
