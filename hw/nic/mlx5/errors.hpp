/// Error completions of a ConnectX as text with advice.
#pragma once

#include <string>

#include "hw/wqe/completion.hpp"

namespace qpcast::hw::mlx5 {

/// For example "remote access error (vendor syndrome 0x88): the peer refused the address or key".
std::string describe(wqe::Syndrome syndrome, std::uint8_t vendor);

}  // namespace qpcast::hw::mlx5
