/// CUDA's return codes as DeviceErrors. Included by .cu files only.
#pragma once

#include <cuda_runtime.h>

#include <cerrno>
#include <string>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw::gda {

/// @throws DeviceError naming the call and CUDA's words
inline void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  const int reason = code == cudaErrorMemoryAllocation ? ENOMEM : EIO;
  throw DeviceError{"gpu", call, reason, cudaGetErrorString(code)};
}

}  // namespace qpcast::hw::gda
