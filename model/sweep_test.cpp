#include "model/sweep.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"

using namespace qpcast;
using Strings = std::vector<std::string>;

TEST_CASE("value expressions", "[sweep]") {
  CHECK(expand_values("qps", "1,4,9", "t") == Strings{"1", "4", "9"});
  CHECK(expand_values("qps", "1..64*4", "t") == Strings{"1", "4", "16", "64"});
  CHECK(expand_values("qps", "1..10+3", "t") == Strings{"1", "4", "7", "10"});
  CHECK(expand_values("qps", "2..4", "t") == Strings{"2", "3", "4"});
  CHECK(expand_values("qps", "1,8..32*2", "t") == Strings{"1", "8", "16", "32"});
  for (const char* bad : {"4..1", "1..8*1", "1..8+0", "0..8*2", "a..b", "", "1,,2"}) {
    INFO(bad);
    CHECK_THROWS_AS(expand_values("qps", bad, "t"), InputError);
  }
}

TEST_CASE("a sweep visits every combination once, the last key fastest", "[sweep]") {
  const Sweep sweep{{"qps=1,2", "submitter=gpu", "batch=1..4*2"}, {}, "t"};
  REQUIRE(sweep.size() == 6);
  CHECK(sweep.swept() == Strings{"qps", "batch"});
  CHECK(sweep.at(0).to_string() == "submitter=gpu;qps=1;batch=1");
  CHECK(sweep.at(1).to_string() == "submitter=gpu;qps=1;batch=2");
  CHECK(sweep.at(5).to_string() == "submitter=gpu;qps=2;batch=4");
  CHECK_THROWS_AS((Sweep{{"qps=1", "qps=2"}, {}, "t"}), InputError);
  CHECK_THROWS_AS((Sweep{{"qsp=1"}, {}, "t"}), InputError);
  CHECK(Sweep{{"threads=1..1000", "qps=1..1000", "payload=1..1000"}, {}, "t"}.size() ==
        1'000'000'000);
}
