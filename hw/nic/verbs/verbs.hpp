/// Any ibverbs device: reliable connected queue pairs through libibverbs.
///
/// Soft-RoCE is one such device; so is a ConnectX by its standard interface. A build without
/// libibverbs has this header too, and `open_verbs` then says which package is missing.
#pragma once

#include <memory>
#include <string>

#include "hw/nic/nic.hpp"

namespace qpcast::hw {

struct VerbsOptions {
  std::string device;  ///< perftest's -d; empty: the first one
  int port = 1;
  int gid_index = -1;  ///< perftest's -x; -1: the first RoCE v2 entry with an IPv4 address
};

/// Opens the device. @throws DeviceError when there is none, naming those that there are
std::unique_ptr<Nic> open_verbs(const VerbsOptions& options);

}  // namespace qpcast::hw
