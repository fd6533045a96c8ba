/// A queue, queue pair or DC target of the firmware: created by a command, destroyed with the
/// handle.
#pragma once

#include <string>

#include "hw/nic/mlx5/calls.hpp"

namespace qpcast::hw::mlx5 {

class Object {
 public:
  /// @param what  the command's name, for messages
  /// @throws DeviceError with the firmware's status and syndrome
  Object(Calls& calls, const char* what, const Command& command);
  ~Object() { calls_.destroy(handle_); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  std::uint32_t number() const { return number_; }
  void modify(const char* what, const Command& command);
  Command query(const char* what, const Command& command, std::size_t answer_bytes) const;

 private:
  Calls& calls_;
  Handle handle_ = nullptr;
  std::uint32_t number_ = 0;
};

}  // namespace qpcast::hw::mlx5
