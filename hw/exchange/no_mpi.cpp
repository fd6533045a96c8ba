#include "hw/exchange/ranks.hpp"

namespace qpcast::hw {

std::unique_ptr<Ranks> join_ranks() {
  throw ExchangeError{
      "exchange: started as several ranks, but this build has no MPI: install the Debian package "
      "'libopenmpi-dev' and configure again, or use --server and --client"};
}

}  // namespace qpcast::hw
