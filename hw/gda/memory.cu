#include "hw/gda/memory.hpp"

#include <cstring>

#include "hw/gda/cuda_error.hpp"

namespace qpcast::hw::gda {

PinnedMemory::PinnedMemory(std::size_t bytes) : bytes_{bytes} {
  check(cudaHostAlloc(&data_, bytes, cudaHostAllocMapped | cudaHostAllocPortable), "cudaHostAlloc");
  std::memset(data_, 0, bytes);
}

PinnedMemory::~PinnedMemory() {
  if (data_) cudaFreeHost(data_);
}

GpuMemory::GpuMemory(std::size_t bytes) : bytes_{bytes} {
  check(cudaMalloc(&data_, bytes), "cudaMalloc");
  fill(0);
}

GpuMemory::~GpuMemory() {
  if (data_) cudaFree(data_);
}

void GpuMemory::fill(int byte) {
  check(cudaMemset(data_, byte, bytes_), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaMemset");
}

void GpuMemory::from_host(const void* host, std::size_t bytes) {
  check(cudaMemcpy(data_, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

void GpuMemory::to_host(void* host, std::size_t bytes) const {
  check(cudaMemcpy(host, data_, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace qpcast::hw::gda
