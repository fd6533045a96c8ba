# What this build can and cannot do, said once at configure time.
message(STATUS "qpcast ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}${QPCAST_SANITIZE}")
