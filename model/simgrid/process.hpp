/// One process per simulation: SimGrid has one engine per process, and its clock cannot go back.
/// The child returns its result, or the text of its error, over a pipe and leaves by _exit. It
/// inherits the scene by fork, takes no lock of the parent's but malloc's, which glibc makes safe
/// in a process with threads, starts no threads, keeps no open file but the pipe and the standard
/// ones, and dies with its parent.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <type_traits>

namespace qpcast::simgrid {

/// Runs `body` in a child and returns its bytes. @throws InputError as the child did;
/// std::system_error when no process can be made; std::runtime_error when the child died, with its
/// signal
std::string bytes_from_process(const std::function<std::string()>& body);

/// The same for a plain result.
template <class Body>
auto run_in_process(const Body& body) {
  using Result = decltype(body());
  static_assert(std::is_trivially_copyable_v<Result>);
  const auto bytes = bytes_from_process([&] {
    const Result result = body();
    return std::string{reinterpret_cast<const char*>(&result), sizeof result};
  });
  Result result;
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

}  // namespace qpcast::simgrid
