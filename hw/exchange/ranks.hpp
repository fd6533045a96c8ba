/// Nodes that mpirun or srun started together. MPI carries the exchange of addresses and nothing
/// that is measured.
#pragma once

#include <memory>

#include "hw/exchange/dialogue.hpp"

namespace qpcast::hw {

/// As many ranks as the launcher's environment names (Open MPI, PMI, Slurm); 1 without a launcher.
int ranks_started();

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  /// With another rank. Must not outlive this.
  virtual std::unique_ptr<Dialogue> with(int rank) = 0;
};

/// Joins the ranks. Destroyed while an exception is under way, it leaves MPI unfinished, so that
/// the launcher ends the other ranks instead of letting them wait.
/// @throws ExchangeError; where the MPI module is not there, naming the package
std::unique_ptr<Ranks> join_ranks();

/// What the module libqpcast_mpi.so offers. It alone is linked with MPI and is loaded when ranks
/// are joined, so that one executable runs with and without MPI.
using JoinRanks = Ranks*();
inline constexpr const char* join_ranks_symbol = "qpcast_join_ranks";

}  // namespace qpcast::hw
