/// Why a run on the GPU ended early.
#pragma once

#include <cstdint>

namespace qpcast::hw::gda {

enum class Failure : std::uint32_t {
  none,
  no_room,        ///< the ring stayed full: the NIC retires nothing
  no_turn,        ///< the thread before this one never published
  no_completion,  ///< a completion did not come
  no_message,     ///< the peer's write did not come
  error_entry,    ///< the NIC completed with an error
};

}  // namespace qpcast::hw::gda
