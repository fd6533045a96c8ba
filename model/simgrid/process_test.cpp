/// What a simulation's process inherits, and how its end reaches the parent.
#include "model/simgrid/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>

#include "model/error.hpp"

using qpcast::simgrid::bytes_from_process;
using qpcast::simgrid::run_in_process;

TEST_CASE("a child's bytes come back whole", "[process]") {
  const std::string large(1 << 20, 'x');  // more than a pipe holds
  CHECK(bytes_from_process([&] { return large; }) == large);
  CHECK(bytes_from_process([] { return std::string{}; }).empty());
}

TEST_CASE("a child holds nothing that its parent locked, and dies with it", "[process]") {
  const int held = ::open("/dev/null", O_RDONLY);
  REQUIRE(held >= 0);
  const int highest = ::fcntl(held, F_DUPFD, 200);
  REQUIRE(highest >= 200);
  struct Seen {
    bool held, highest;
    int death_signal;
  };
  const auto seen = run_in_process([&] {
    int signal = 0;
    ::prctl(PR_GET_PDEATHSIG, &signal);
    return Seen{::fcntl(held, F_GETFD) >= 0, ::fcntl(highest, F_GETFD) >= 0, signal};
  });
  CHECK_FALSE(seen.held);
  CHECK_FALSE(seen.highest);
  CHECK(seen.death_signal == SIGKILL);
  CHECK(::fcntl(held, F_GETFD) >= 0);
  ::close(highest);
  ::close(held);
}

TEST_CASE("a child's error and a child's death reach the parent", "[process]") {
  const auto refuses = []() -> std::string { throw qpcast::InputError{"here", "qps", "too many"}; };
  CHECK_THROWS_WITH(bytes_from_process(refuses), Catch::Contains("qps: too many"));
  CHECK_THROWS_WITH(bytes_from_process([]() -> std::string {
                      std::raise(SIGKILL);
                      return {};
                    }),
                    Catch::Contains("ended by signal 9"));
}
