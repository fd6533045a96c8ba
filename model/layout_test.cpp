#include "model/layout.hpp"

#include <catch2/catch.hpp>

#include "model/error.hpp"
#include "model/testing.hpp"

using namespace qpcast;
using Catch::Matchers::Contains;

TEST_CASE("layouts round-trip through text", "[layout]") {
  std::mt19937_64 generator{1};
  for (int i = 0; i < 500; ++i) {
    const auto layout = testing::random_layout(generator);
    REQUIRE_NOTHROW(layout.check("test"));
    CHECK(parse_layout(layout.to_string(), "test") == layout);
  }
}

TEST_CASE("every key has a row that states unit, range and meaning", "[layout]") {
  for (const auto& f : fields()) {
    INFO(f.name);
    CHECK(find_key(f.name) == f.key);
    CHECK(f.lowest <= f.highest);
    CHECK_FALSE(f.meaning.empty());
  }
}

TEST_CASE("bad values name the key and what would be right", "[layout]") {
  struct Case {
    const char* text;
    const char* expected;
  };
  const auto c = GENERATE(Case{"qsp=4", "did you mean 'qps'"}, Case{"libary=x", "'library'"},
                          Case{"qps=0", "from 1 to"}, Case{"qps=-3", "from 1 to"},
                          Case{"qps=nan", "whole number"}, Case{"qps=2.5", "whole number"},
                          Case{"batch=257", "from 1 to 256"}, Case{"payload=8B", "whole number"},
                          Case{"submitter=cpu", "one of gpu, proxy"}, Case{"qps", "key=value"},
                          Case{"qps=1;qps=2", "given twice"}, Case{"clock_mhz=inf", "a number"});
  INFO(c.text);
  CHECK_THROWS_WITH(parse_layout(c.text, "here"), Contains("here") && Contains(c.expected));
}

TEST_CASE("contradictions name both keys", "[layout]") {
  struct Case {
    const char* text;
    const char* one;
    const char* other;
  };
  const auto c = GENERATE(Case{"inline=1;payload=4096", "inline", "payload"},
                          Case{"submitter=gpu;workers=2", "workers", "submitter"},
                          Case{"submitter=proxy;publication=exclusive", "publication", "submitter"},
                          Case{"transport=rc;dci_pool=4", "dci_pool", "transport"},
                          Case{"publication=exclusive;threads=32;qps=1", "publication", "threads"},
                          Case{"threads=4;sms=8", "sms", "threads"});
  INFO(c.text);
  const auto layout = parse_layout(c.text, "here");
  CHECK_THROWS_WITH(layout.check("here"), Contains(c.one) && Contains(c.other));
}
