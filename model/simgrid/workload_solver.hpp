/// A workload on a fabric, by simulation: one Setup for every rank, from the same layout keys,
/// parameters and Pipeline as a single NIC's forecast.
#pragma once

#include "model/fabric/fabric.hpp"
#include "model/fabric/report.hpp"
#include "model/fabric/workload.hpp"
#include "model/library.hpp"
#include "model/platform.hpp"
#include "model/simgrid/exchange.hpp"
#include "model/simgrid/options.hpp"

namespace qpcast {

/// How each rank submits: the workload's defaults under the layout's keys, with what the workload
/// decides itself (payload of a token, role, queue pairs, peers, visit).
Layout submission(const WorkloadSpec& workload, const Layout& layout, std::size_t queue_pairs);

class WorkloadSolver {
 public:
  WorkloadSolver(const Platform& platform, const SimulationOptions& options);

  /// @param layout  the keys that override the workload's
  /// @param preset  of the library that layout or workload names; null: none
  /// @throws InputError naming the key that does not fit workload, fabric or queues
  WorkloadReport predict(const WorkloadSpec& workload, const Fabric& fabric, const Layout& layout,
                         const LibraryPreset* preset, simgrid::Wire wire = simgrid::Wire::stations);

 private:
  Platform platform_;
  ParameterValues values_;
  SimulationOptions options_;
};

}  // namespace qpcast
