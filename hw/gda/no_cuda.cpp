// What a build without CUDA says of the GPU.
#include "hw/gda/gpu_link.hpp"

namespace qpcast::hw {

std::string no_gpu() { return "this build has no CUDA"; }
std::map<std::string, std::string> gpu_environment() { return {}; }
std::pmr::memory_resource* pinned_resource() { return std::pmr::null_memory_resource(); }

}  // namespace qpcast::hw
