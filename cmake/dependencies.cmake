# Every dependency comes from Debian 12; a missing one is named by its package.

macro(qpcast_find name package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "qpcast needs ${name}: install the Debian package '${package}' "
                        "(scripts/setup installs everything)")
  endif()
endmacro()

qpcast_find(Eigen3 libeigen3-dev)
qpcast_find(fmt libfmt-dev)
qpcast_find(nlohmann_json nlohmann-json3-dev)
qpcast_find(CLI11 libcli11-dev)
qpcast_find(Catch2 catch2)
qpcast_find(benchmark libbenchmark-dev)
find_package(Threads REQUIRED)
