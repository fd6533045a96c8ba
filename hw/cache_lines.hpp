/// How far apart two words must lie that different threads write and poll.
#pragma once

#include <cstddef>

namespace qpcast::hw {

/// B: two lines of 64 B, since x86 processors fetch the neighbour of a line too. Source: Intel 64
/// and IA-32 Architectures Optimization Reference Manual, spatial prefetcher.
inline constexpr std::size_t lines_apart = 128;

}  // namespace qpcast::hw
