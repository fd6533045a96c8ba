/// The syndrome of an error completion as text.
#pragma once

#include "hw/wqe/completion.hpp"

namespace qpcast::hw::direct {

/// The field's name for it, for example "remote access error".
const char* name(wqe::Syndrome syndrome);

}  // namespace qpcast::hw::direct
