/// mini-gda on a ConnectX: queue pairs whose rings lie in host memory registered with CUDA, or in
/// GPU memory by dma-buf, else peermem; the doorbell register mapped into the GPU as I/O memory.
///
/// Payload lies where the queues do. Both ends of every queue pair are this adapter: pairs 0 and 1,
/// 2 and 3 and so on write to each other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/gda/gpu_nic.hpp"
#include "hw/nic/mlx5/dc_target.hpp"
#include "hw/nic/mlx5/gpu_memory.hpp"
#include "hw/nic/mlx5/queue_pair.hpp"

namespace qpcast::hw {

class Mlx5GpuNic final : public GpuNic {
 public:
  /// @param calls  outlives this
  explicit Mlx5GpuNic(mlx5::Calls& calls) : calls_{calls} {}
  std::string why_no_doorbell() const override;
  std::string why_no_dc() const override;
  std::unique_ptr<gda::QueueServer> serve(const GpuLayout& layout) override;

 private:
  mlx5::Calls& calls_;
};

/// The GPU's driver, for registrations; without CUDA one that refuses everything.
std::unique_ptr<mlx5::GpuMemory> mlx5_gpu_memory();

namespace gda {

class Mlx5Server final : public QueueServer {
 public:
  Mlx5Server(mlx5::Calls& calls, const GpuLayout& layout) : calls_{calls}, layout_{layout} {}
  ~Mlx5Server() override { release(); }
  Mlx5Server(const Mlx5Server&) = delete;
  Mlx5Server& operator=(const Mlx5Server&) = delete;
  std::uint32_t register_memory(void* address, std::size_t bytes) override;
  /// Opens a queue pair; the memory is its own.
  std::uint32_t attach(emulated::QueueMemory& memory, std::uint64_t access_key) override;
  void connect(std::uint32_t number, std::uint32_t peer) override;
  wqe::CompactVector route_to(std::uint32_t number, std::uint64_t access_key) override;
  void start() override {}
  std::optional<emulated::Counters> stop() override;
  bool in_gpu_memory() const override { return layout_.queue_memory == Memory::gpu; }
  bool brings_queues() const override { return true; }
  std::string describe(wqe::Syndrome syndrome, std::uint8_t vendor) const override;

 private:
  mlx5::Registration register_gpu(void* address, std::size_t bytes);
  void release();
  mlx5::Calls& calls_;
  GpuLayout layout_;
  std::vector<mlx5::Handle> regions_;
  std::map<std::uint32_t, std::unique_ptr<mlx5::QueuePair>> pairs_;
  std::unique_ptr<mlx5::DcTarget> target_;
};

}  // namespace gda
}  // namespace qpcast::hw
