# MPI is optional: where it is found, ranks that a launcher starts trade their addresses over it.
# QPCAST_MPI says whether they do. QPCAST_NO_MPI leaves it out.
include(GNUInstallDirs)
option(QPCAST_NO_MPI "Build without MPI though it is there" OFF)
set(QPCAST_MPI OFF)
# Open MPI's own threads and leaks are nothing that our sanitizers should look at.
if(NOT QPCAST_NO_MPI AND NOT QPCAST_SANITIZE)
  set(MPI_CXX_SKIP_MPICXX ON)  # the C interface alone
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(QPCAST_MPI ON)
    # A build machine is often root, with fewer processors than ranks; both are Open MPI's flags.
    set(QPCAST_MPIRUN ${MPIEXEC_EXECUTABLE})
    if(MPI_CXX_LIBRARIES MATCHES "openmpi|libmpi_cxx|libmpi\\.so")
      list(APPEND QPCAST_MPIRUN --allow-run-as-root --oversubscribe)
    endif()
  endif()
endif()
