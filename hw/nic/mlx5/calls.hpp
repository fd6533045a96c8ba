/// The few calls of rdma-core and of the GPU's driver that the mlx5 control path makes.
///
/// One implementation calls the libraries (real_calls.cpp), another is the tests' fake. A call that
/// fails returns null or a negative number with errno set, as the libraries do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "hw/nic/mlx5/commands.hpp"

namespace qpcast::hw::mlx5 {

/// Objects of the driver; only the implementation looks inside.
using Handle = void*;

struct Umem {
  Handle handle = nullptr;
  std::uint32_t id = 0;
};
struct Uar {
  Handle handle = nullptr;
  std::uint32_t page = 0;
  void* doorbell = nullptr;  ///< where the first 8 B of a control segment are stored
};

class Calls {
 public:
  virtual ~Calls() = default;
  /// This end's facts: protection domain, port, GID, MTU, event queue.
  virtual LocalSide local_side() = 0;

  virtual Uar allocate_uar() = 0;
  virtual void free_uar(Handle uar) = 0;

  virtual Umem register_memory(void* address, std::size_t bytes) = 0;
  /// Registers memory behind a dma-buf; `address` is an offset in it.
  virtual Umem register_dmabuf(int descriptor, std::size_t bytes) = 0;
  virtual void deregister(Handle umem) = 0;

  virtual Handle create(std::span<const std::uint8_t> command, std::span<std::uint8_t> answer) = 0;
  virtual int modify(Handle object, std::span<const std::uint8_t> command,
                     std::span<std::uint8_t> answer) = 0;
  virtual void destroy(Handle object) = 0;
  virtual int resolve_mac(const Address& peer, Mac& mac) = 0;

  // The GPU's side. Without CUDA every one fails with ENOTSUP.
  virtual void* allocate_gpu(std::size_t bytes) = 0;
  virtual void free_gpu(void* memory) = 0;
  virtual int fill_gpu(void* memory, std::uint8_t value, std::size_t bytes) = 0;
  virtual int export_dmabuf(void* memory, std::size_t bytes) = 0;  ///< a descriptor, or -1
  /// Lets the GPU store to an I/O page. @return its device address, or null
  virtual void* map_io_page(void* page) = 0;
  virtual void unmap_io_page(void* page) = 0;
  /// Lets the GPU reach host memory. @return its device address, or null
  virtual void* map_host(void* memory, std::size_t bytes) = 0;
  virtual void unmap_host(void* memory) = 0;
};

}  // namespace qpcast::hw::mlx5
