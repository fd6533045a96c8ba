/// Error completions and events of the emulated NIC as text.
#pragma once

#include <string>

#include "hw/nic/emulated/queue.hpp"

namespace qpcast::hw::emulated {

/// For example "remote access error (vendor syndrome 0x25): the write left the peer's region".
std::string describe(wqe::Syndrome syndrome, std::uint8_t vendor);
std::string describe(Event event);

}  // namespace qpcast::hw::emulated
