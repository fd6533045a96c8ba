/// The SM clock through NVML, the driver's management library.
///
/// libnvidia-ml.so.1 comes with the driver and is loaded at run time, so that this builds and runs
/// where there is none. Numbers of types and return codes: NVML API reference, nvmlReturn_t and
/// nvmlClockType_t.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/clocks/clock_control.hpp"

namespace qpcast::hw {

/// The calls that are made, for one GPU, returning NVML's codes (0: success).
class NvmlCalls {
 public:
  virtual ~NvmlCalls() = default;
  /// Graphics clocks at the fastest memory clock, MHz, in any order.
  virtual int supported_clocks(std::vector<std::uint32_t>& mhz) = 0;
  virtual int set_locked_clocks(std::uint32_t least, std::uint32_t most) = 0;
  virtual int reset_locked_clocks() = 0;
  virtual std::string text_of(int code) const = 0;
};

/// Loads NVML for the GPU on a PCI address ("0000:18:00.0").
/// @throws DeviceError when the library or the GPU is not there
std::unique_ptr<NvmlCalls> load_nvml(const std::string& pci);

class NvmlClocks final : public ClockControl {
 public:
  explicit NvmlClocks(std::unique_ptr<NvmlCalls> calls) : calls_{std::move(calls)} {}
  std::vector<std::uint32_t> supported() override;
  void lock(std::uint32_t mhz) override;
  void reset() override;

 private:
  void check(int code, const char* call) const;
  std::unique_ptr<NvmlCalls> calls_;
};

}  // namespace qpcast::hw
