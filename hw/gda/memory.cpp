#include "hw/gda/memory.hpp"

#include <cstring>
#include <memory_resource>
#include <new>

#include "hw/gda/cuda_error.hpp"
#include "hw/gda/gpu_link.hpp"

namespace qpcast::hw {

namespace gda {

void* allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  check(cudaHostAlloc(&data, bytes, cudaHostAllocMapped | cudaHostAllocPortable), "cudaHostAlloc");
  return std::memset(data, 0, bytes);
}

void* allocate_on_gpu(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, bytes), "cudaMalloc");
  check(cudaMemset(data, 0, bytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaMemset");
  return data;
}

void free_pinned(void* data) noexcept { cudaFreeHost(data); }
void free_on_gpu(void* data) noexcept { cudaFree(data); }

void copy_to_host(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}

void GpuMemory::fill(int byte) {
  check(cudaMemset(data(), byte, bytes()), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaMemset");
}

void GpuMemory::from_host(const void* host, std::size_t count) {
  check(cudaMemcpy(data(), host, count, cudaMemcpyHostToDevice), "cudaMemcpy");
}

void GpuMemory::to_host(void* host, std::size_t count) const {
  check(cudaMemcpy(host, data(), count, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace gda

namespace {

class PinnedResource final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    return gda::allocate_pinned(bytes);  // aligned to a page
  }
  void do_deallocate(void* data, std::size_t /*bytes*/, std::size_t /*alignment*/) override {
    gda::free_pinned(data);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* pinned_resource() {
  static PinnedResource resource;
  return &resource;
}

}  // namespace qpcast::hw
