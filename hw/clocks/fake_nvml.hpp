/// For tests: NVML of a GPU that remembers how it was locked, and refuses what it is told to.
#pragma once

#include "hw/clocks/nvml.hpp"

namespace qpcast::hw {

class FakeNvml final : public NvmlCalls {
 public:
  /// What is seen after the calls are gone.
  struct Seen {
    std::uint32_t locked = 0;  ///< MHz; 0: not
    std::vector<std::uint32_t> locks;
    int resets = 0;
    int lock_code = 0, reset_code = 0;
  };
  explicit FakeNvml(Seen& seen) : seen_{seen} {}
  int supported_clocks(std::vector<std::uint32_t>& mhz) override {
    for (std::uint32_t clock = 1980; clock >= 345; clock -= 15) mhz.push_back(clock);
    return 0;
  }
  int set_locked_clocks(std::uint32_t least, std::uint32_t most) override {
    if (seen_.lock_code != 0) return seen_.lock_code;
    seen_.locked = least == most ? most : 1;
    seen_.locks.push_back(most);
    return 0;
  }
  int reset_locked_clocks() override {
    if (seen_.reset_code != 0) return seen_.reset_code;
    seen_.locked = 0;
    ++seen_.resets;
    return 0;
  }
  std::string text_of(int code) const override { return "NVML code " + std::to_string(code); }

 private:
  Seen& seen_;
};

}  // namespace qpcast::hw
