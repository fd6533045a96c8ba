# House rules for every target: C++20, warnings as errors, sanitizers by preset.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(QPCAST_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them (address,undefined or thread)")
option(QPCAST_BENCHMARKS "Build the benchmarks" ON)

find_program(QPCAST_CCACHE ccache)
if(QPCAST_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${QPCAST_CCACHE})
endif()

add_library(qpcast_options INTERFACE)
target_compile_options(qpcast_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
    # g++ 12 sees overlaps in std::string that are not there (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>>)
if(QPCAST_SANITIZE)
  target_compile_options(qpcast_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${QPCAST_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all
      # Instrumented code defeats g++ 12's flow analysis (Catch2's main among others).
      -Wno-maybe-uninitialized>)
  target_link_options(qpcast_options INTERFACE -fsanitize=${QPCAST_SANITIZE})
endif()

# Catch2's own code: compiled once, and quickly, since it is not what is tested.
add_library(qpcast_catch_main STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/catch_main.cpp)
target_link_libraries(qpcast_catch_main PUBLIC Catch2::Catch2)
target_compile_options(qpcast_catch_main PRIVATE -O0 -g0)

# qpcast_test(name SOURCES... [LIBRARIES...]): one Catch2 program, run from the source tree.
function(qpcast_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  # The macros of Catch2 are slow to optimise, and not what is tested. None: the sanitizer presets.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:None>:-O0>)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} qpcast_catch_main qpcast_options)
  target_compile_definitions(${name} PRIVATE QPCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
