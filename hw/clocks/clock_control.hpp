/// Who can set the GPU's SM clock. Nothing does unless the user asked for it (--set-clocks).
#pragma once

#include <cstdint>
#include <vector>

namespace qpcast::hw {

/// Errors: DeviceError, saying which permission is missing.
class ClockControl {
 public:
  virtual ~ClockControl() = default;
  /// SM clocks that the GPU runs at, MHz, ascending.
  virtual std::vector<std::uint32_t> supported() = 0;
  virtual void lock(std::uint32_t mhz) = 0;
  /// Back to the GPU's own choice; a lock that was there before this run is lost too.
  virtual void reset() = 0;
};

/// `count` of the supported clocks, from the fastest down to 27 % of it (502 of 1,845 MHz in the
/// published sweep), evenly spaced, ascending, none twice.
std::vector<std::uint32_t> clocks_to_sweep(const std::vector<std::uint32_t>& supported,
                                           std::size_t count);

/// The clock is locked while this lives, and reset whatever ends that.
class LockedClock {
 public:
  LockedClock(ClockControl& control, std::uint32_t mhz);
  ~LockedClock();
  LockedClock(const LockedClock&) = delete;
  LockedClock& operator=(const LockedClock&) = delete;

 private:
  ClockControl& control_;
};

}  // namespace qpcast::hw
