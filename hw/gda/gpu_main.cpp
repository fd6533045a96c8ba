// Tests that need a GPU: without one they are skipped, and ctest says so.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <iostream>

#include "hw/gda/gpu_link.hpp"

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  if (const auto why = qpcast::hw::no_gpu(); !why.empty()) {
    std::cout << "skipped: " << why << '\n';
    return skipped;
  }
  return Catch::Session().run(argc, argv);
}
