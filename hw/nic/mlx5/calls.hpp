/// The few calls of rdma-core and of the GPU's driver that the mlx5 control path makes.
///
/// One implementation calls the libraries (real_calls.cpp), another is the tests' fake. A call that
/// fails returns null or a negative number with errno set, as the libraries do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

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
/// A memory region: what WQEs may name.
struct Registration {
  Handle handle = nullptr;
  std::uint32_t lkey = 0, rkey = 0;
};
/// A shared receive queue, which a DC target must have even if nothing is ever received.
struct ReceiveQueue {
  Handle handle = nullptr;
  std::uint32_t number = 0;
};

class Calls {
 public:
  virtual ~Calls() = default;
  virtual std::string name() const = 0;
  /// Firmware, link, NUMA node and the like, for a row's environment.
  virtual std::map<std::string, std::string> facts() const = 0;
  virtual std::map<std::string, std::uint64_t> error_counters() const = 0;
  /// Never waits. @throws DeviceError for an event that ends a run: device removed, port down
  virtual void check_events() = 0;
  /// This end's facts: protection domain, port, GID, MTU, event queue.
  virtual LocalSide local_side() = 0;

  virtual Uar allocate_uar() = 0;
  virtual void free_uar(Handle uar) = 0;

  virtual Umem register_memory(void* address, std::size_t bytes) = 0;
  /// Registers memory behind a dma-buf; `address` is an offset in it.
  virtual Umem register_dmabuf(int descriptor, std::size_t bytes) = 0;
  virtual void deregister(Handle umem) = 0;

  // Payload: local and remote write, remote atomics.
  virtual Registration register_region(void* address, std::size_t bytes) = 0;
  /// @param address  what WQEs call the first byte
  virtual Registration register_region_dmabuf(int descriptor, void* address, std::size_t bytes) = 0;
  virtual void deregister_region(Handle region) = 0;

  virtual ReceiveQueue create_receive_queue() = 0;
  virtual void destroy_receive_queue(Handle queue) = 0;

  virtual Handle create(std::span<const std::uint8_t> command, std::span<std::uint8_t> answer) = 0;
  virtual int modify(Handle object, std::span<const std::uint8_t> command,
                     std::span<std::uint8_t> answer) = 0;
  virtual int query(Handle object, std::span<const std::uint8_t> command,
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
