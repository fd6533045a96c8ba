#include "hw/exchange/ranks.hpp"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace qpcast::hw {

int ranks_started() {
  for (const auto* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    int count = 0;
    if (text && std::from_chars(text, text + std::strlen(text), count).ec == std::errc{} &&
        count > 0)
      return count;
  }
  return 1;
}

std::unique_ptr<Ranks> join_ranks() {
  // MPI's own plug-ins look for its symbols globally. The module is never closed: MPI cannot be
  // started twice in a process.
  void* const module = ::dlopen("libqpcast_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!module) {
    const char* const why = ::dlerror();  // NOLINT(concurrency-mt-unsafe)
    throw ExchangeError{
        std::string{"exchange: started as several ranks, but without MPI ("} + (why ? why : "?") +
        "): install the Debian package 'libopenmpi-dev' and build again, or use --server and "
        "--client"};
  }
  auto* const join = reinterpret_cast<JoinRanks*>(::dlsym(module, join_ranks_symbol));
  if (!join) throw ExchangeError{"exchange: libqpcast_mpi.so is of another version of qpcast"};
  return std::unique_ptr<Ranks>{join()};
}

}  // namespace qpcast::hw
