/// What stands for the GPU where there was no CUDA compiler: a reason.
#include "hw/gda/gpu_link.hpp"
#include "hw/gda/gpu_producer.hpp"
#include "hw/nic/device_error.hpp"

namespace qpcast::hw {

std::string no_gpu() { return "this build has no CUDA"; }
std::map<std::string, std::string> gpu_environment() { return {}; }

class GpuLink::Session {};
GpuLink::GpuLink(emulated::Server&, const Layout& layout, std::chrono::milliseconds)
    : layout_{gpu_layout(layout)} {
  throw DeviceError{"gpu", "open", ENODEV, no_gpu()};
}
GpuLink::~GpuLink() = default;
GpuLatencies GpuLink::latency(std::uint32_t) { return {}; }
GpuRate GpuLink::rate(std::chrono::milliseconds) { return {}; }
GpuRate GpuLink::rate(std::uint64_t) { return {}; }
GpuRoundTrips GpuLink::round_trip(std::uint32_t) { return {}; }

std::pmr::memory_resource* pinned_resource() { return std::pmr::null_memory_resource(); }
struct GpuProducer::State {};
GpuProducer::GpuProducer(std::span<const RingView>, bool, std::chrono::milliseconds) {
  throw DeviceError{"gpu", "open", ENODEV, no_gpu()};
}
GpuProducer::~GpuProducer() = default;
GpuLatencies GpuProducer::latency(std::uint32_t, const RequestPattern&) { return {}; }
GpuRate GpuProducer::rate(std::uint64_t, std::uint64_t, const RequestPattern&) { return {}; }

}  // namespace qpcast::hw
