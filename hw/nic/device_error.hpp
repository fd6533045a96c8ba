/// An error of a device: which one, which call, why, and what would be right.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>

namespace qpcast::hw {

class DeviceError : public std::runtime_error {
 public:
  /// @param code  errno of the call; 0 when the call has none
  DeviceError(const std::string& device, const std::string& call, int code,
              const std::string& advice)
      : std::runtime_error{device + ": " + call + ": " + reason(code) + advice}, code_{code} {}
  int code() const { return code_; }

 private:
  static std::string reason(int code) {
    return code == 0 ? ""
                     : std::string{std::strerror(code)} + "; ";  // NOLINT(concurrency-mt-unsafe)
  }
  int code_;
};

/// The device is there, but a queue pair went to error, what it wrote is wrong, or a wait for it
/// passed its deadline. New queue pairs may work.
class TransportError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace qpcast::hw
