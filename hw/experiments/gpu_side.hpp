/// Whether and how a GPU takes part in a run on a NIC.
#pragma once

#include <memory>
#include <string>

#include "hw/gda/gpu_nic.hpp"
#include "hw/nic/nic.hpp"

namespace qpcast::hw {

struct GpuSide {
  std::unique_ptr<GpuNic> nic;  ///< null when GPU submitters cannot run
  std::string why_not;          ///< then the reason
};

/// @param loopback  both ends on this NIC; mini-gda measures nothing else
GpuSide gpu_side(Nic& nic, bool loopback);

}  // namespace qpcast::hw
