#include "model/units.hpp"

#include <catch2/catch.hpp>

using namespace qpcast;
using namespace qpcast::literals;

TEST_CASE("conversions are spelled out once", "[units]") {
  CHECK((500_ns).us() == Approx(0.5));
  CHECK((0.5_us).ns() == Approx(500));
  CHECK((messages(32) / 1.6_us).mmsg_per_s() == Approx(20));
  CHECK((20_Mmsg).interval().us() == Approx(0.05));
  CHECK((20_Mmsg).per_second() == Approx(2e7));
  CHECK((10_Mmsg * 2048_B).gb_per_s() == Approx(20.48));
  CHECK((25000_B / Throughput::gb_per_s(25)).us() == Approx(1));
  CHECK(Throughput::gbit_per_s(200).gb_per_s() == Approx(25));
}
