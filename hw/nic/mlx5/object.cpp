#include "hw/nic/mlx5/object.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw::mlx5 {

namespace {

/// The firmware's own words for a command's status (PRM, command interface).
const char* text_of(std::uint64_t status) {
  switch (status) {
    case 0x00:
      return "the command did not reach the firmware; is DEVX permitted (CAP_NET_RAW)?";
    case 0x01:
      return "internal error; see the kernel log";
    case 0x02:
    case 0x03:
    case 0x50:
      return "a parameter is beyond this device";
    case 0x04:
    case 0x05:
    case 0x06:
    case 0x09:
    case 0x10:
      return "an object that it names is gone or in the wrong state; was the device reset?";
    case 0x08:
    case 0x0f:
      return "the device is out of resources; fewer or shallower queue pairs?";
    default:
      return "see the kernel log";
  }
}

[[noreturn]] void fail(const Calls& calls, const char* what, int code, const Command& answer) {
  throw DeviceError{calls.name(), what, code,
                    fmt::format("firmware status {:#x}, syndrome {:#010x}: {}", answer.get(status),
                                answer.get(syndrome), text_of(answer.get(status)))};
}

}  // namespace

Object::Object(Calls& calls, const char* what, const Command& command) : calls_{calls} {
  Command answer{answer_bytes};
  handle_ = calls_.create(command.bytes(), answer.bytes());
  if (!handle_) fail(calls_, what, errno, answer);
  number_ = static_cast<std::uint32_t>(answer.get(object_number));
}

void Object::modify(const char* what, const Command& command) {
  Command answer{answer_bytes};
  if (calls_.modify(handle_, command.bytes(), answer.bytes()) != 0)
    fail(calls_, what, errno, answer);
}

Command Object::query(const char* what, const Command& command, std::size_t bytes) const {
  Command answer{bytes};
  if (calls_.query(handle_, command.bytes(), answer.bytes()) != 0)
    fail(calls_, what, errno, answer);
  return answer;
}

}  // namespace qpcast::hw::mlx5
