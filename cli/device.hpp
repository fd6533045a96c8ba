/// What a device can do to a subcommand that drives one.
#pragma once

#include <fmt/format.h>

#include "cli/context.hpp"
#include "hw/exchange/dialogue.hpp"
#include "hw/interrupted.hpp"
#include "hw/nic/device_error.hpp"

namespace qpcast::cli {

/// Runs `body`, which returns an exit status; trouble of the device or of the exchange is one line
/// and status 3, an interrupt is 130. InputError passes.
template <class Body>
int with_device(const Body& body) {
  const auto fail = [](const std::exception& error, Exit status) {
    fmt::print(stderr, "qpcast: {}\n", error.what());
    return status;
  };
  try {
    return body();
  } catch (const hw::Interrupted& error) {
    return fail(error, interrupted);
  } catch (const hw::DeviceError& error) {
    return fail(error, device_failed);
  } catch (const hw::ExchangeError& error) {
    return fail(error, device_failed);
  }
}

/// Says that points of a finished run failed. @return the exit status
inline Exit points_failed(std::size_t count, const std::string& file) {
  fmt::print(stderr,
             "qpcast: {}: {} {} failed; every other row is kept, and the same command tries {} "
             "again\n",
             file, count, count == 1 ? "point" : "points", count == 1 ? "it" : "them");
  return device_failed;
}

}  // namespace qpcast::cli
