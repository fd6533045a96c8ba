# CUDA is optional: with nvcc at configure time the GPU sources are compiled, for sm_90 and, where
# this nvcc knows it, sm_100. QPCAST_CUDA says whether they are.
find_program(QPCAST_NVCC nvcc HINTS /usr/local/cuda/bin)
set(QPCAST_CUDA OFF)
# Our sanitizers instrument host code only, and nvcc hands their flags to neither compiler well.
if(QPCAST_NVCC AND NOT QPCAST_SANITIZE)
  set(CMAKE_CUDA_COMPILER ${QPCAST_NVCC} CACHE FILEPATH "CUDA compiler")
  set(CMAKE_CUDA_ARCHITECTURES 90)
  execute_process(COMMAND ${QPCAST_NVCC} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  if(known MATCHES "compute_100")
    list(APPEND CMAKE_CUDA_ARCHITECTURES 100)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
    # CMake 3.25 does not know that nvcc 12 and later take C++20.
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    if(QPCAST_CCACHE)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${QPCAST_CCACHE})
    endif()
    set(QPCAST_CUDA ON)
  endif()
endif()

# What every GPU source is compiled with.
add_library(qpcast_cuda INTERFACE)
add_library(qpcast::cuda ALIAS qpcast_cuda)
if(QPCAST_CUDA)
  target_compile_options(qpcast_cuda INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Wall,-Wextra>)
endif()
