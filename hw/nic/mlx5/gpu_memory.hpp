/// What the mlx5 control path asks of the GPU's driver. The build with CUDA brings an
/// implementation; without it `NoGpu` refuses everything, and host memory with host-rung doorbells
/// remains.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace qpcast::hw::mlx5 {

/// Calls fail with null or -1 and errno.
class GpuMemory {
 public:
  virtual ~GpuMemory() = default;
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual int fill(void* memory, std::uint8_t value, std::size_t bytes) = 0;
  virtual int export_dmabuf(void* memory, std::size_t bytes) = 0;
  /// Registers host memory, or a page of device registers, with the GPU.
  /// @return its address on the GPU
  virtual void* map(void* host, std::size_t bytes, bool io_memory) = 0;
  virtual void unmap(void* host) = 0;
};

class NoGpu final : public GpuMemory {
 public:
  void* allocate(std::size_t) override { return refuse(); }
  void release(void*) override {}
  int fill(void*, std::uint8_t, std::size_t) override {
    refuse();
    return -1;
  }
  int export_dmabuf(void*, std::size_t) override {
    refuse();
    return -1;
  }
  void* map(void*, std::size_t, bool) override { return refuse(); }
  void unmap(void*) override {}

 private:
  static void* refuse() {
    errno = ENOTSUP;
    return nullptr;
  }
};

}  // namespace qpcast::hw::mlx5
