#include <cuda.h>
#include <cuda_runtime.h>

#include <cerrno>

#include "hw/gda/mlx5_nic.hpp"

namespace qpcast::hw {

namespace {

/// An allocation of this size has pages of its own, which a dma-buf or peermem registers whole.
constexpr std::size_t granule = 2U << 20;

/// errno for a refusal of the runtime. @return it succeeded
bool done(cudaError_t code) {
  switch (code) {
    case cudaSuccess:
      return true;
    case cudaErrorMemoryAllocation:
      errno = ENOMEM;
      break;
    case cudaErrorNotPermitted:
      errno = EPERM;
      break;
    case cudaErrorNotSupported:
      errno = EOPNOTSUPP;
      break;
    default:
      errno = EIO;
  }
  cudaGetLastError();  // a refusal is an answer, not a fault that a later launch reports
  return false;
}

class CudaMemory final : public mlx5::GpuMemory {
 public:
  void* allocate(std::size_t bytes) override {
    void* data = nullptr;
    return done(cudaMalloc(&data, (bytes + granule - 1) / granule * granule)) ? data : nullptr;
  }
  void release(void* memory) override { cudaFree(memory); }
  int fill(void* memory, std::uint8_t value, std::size_t bytes) override {
    return done(cudaMemset(memory, value, bytes)) && done(cudaDeviceSynchronize()) ? 0 : -1;
  }
  int export_dmabuf(void* memory, std::size_t bytes) override {
    // Looked up at run time: libcuda need not be there where this is linked.
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (!done(cudaGetDriverEntryPointByVersion("cuMemGetHandleForAddressRange", &entry, 11070,
                                               cudaEnableDefault, &found)) ||
        found != cudaDriverEntryPointSuccess) {
      errno = EOPNOTSUPP;
      return -1;
    }
    constexpr std::size_t page = 4096;
    int descriptor = -1;
    const auto code = reinterpret_cast<decltype(&cuMemGetHandleForAddressRange)>(entry)(
        &descriptor, reinterpret_cast<CUdeviceptr>(memory), (bytes + page - 1) / page * page,
        CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
    if (code == CUDA_SUCCESS) return descriptor;
    errno = EOPNOTSUPP;
    return -1;
  }
  void* map(void* host, std::size_t bytes, bool io_memory) override {
    const unsigned kind = io_memory ? cudaHostRegisterIoMemory : cudaHostRegisterDefault;
    if (!done(cudaHostRegister(host, bytes,
                               kind | cudaHostRegisterMapped | cudaHostRegisterPortable)))
      return nullptr;
    void* device = nullptr;
    if (done(cudaHostGetDevicePointer(&device, host, 0))) return device;
    const int code = errno;
    cudaHostUnregister(host);
    errno = code;
    return nullptr;
  }
  void unmap(void* host) override { cudaHostUnregister(host); }
};

}  // namespace

std::unique_ptr<mlx5::GpuMemory> mlx5_gpu_memory() { return std::make_unique<CudaMemory>(); }

}  // namespace qpcast::hw
