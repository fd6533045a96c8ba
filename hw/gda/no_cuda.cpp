// What a build without CUDA says of the GPU.
#include "hw/gda/gpu_link.hpp"
#include "hw/gda/mlx5_nic.hpp"

namespace qpcast::hw {

std::string no_gpu() { return "this build has no CUDA"; }
std::string gpu_pci_address() { return {}; }
GpuLimits gpu_limits() { return {}; }
std::map<std::string, std::string> gpu_environment() { return {}; }
std::unique_ptr<GpuNic> emulated_gpu_nic(emulated::Server& /*server*/) { return nullptr; }
std::unique_ptr<mlx5::GpuMemory> mlx5_gpu_memory() { return std::make_unique<mlx5::NoGpu>(); }
std::pmr::memory_resource* pinned_resource() { return std::pmr::null_memory_resource(); }

}  // namespace qpcast::hw
