/// Everything that one layout needs on the GPU's side: queue pairs attached to a NIC, the memory
/// they write to, and the passes over them.
///
/// Of the emulated NIC, a CPU thread serves a sink and queues in host memory (emulated::Server), a
/// kernel beside the measured one queues in GPU memory that are to be executed (queue_server.hpp);
/// the doorbell lies in host memory in every case, so that its store crosses PCIe. A ConnectX
/// serves its own queue pairs (mlx5_nic.hpp).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "hw/gda/gpu_layout.hpp"
#include "hw/gda/gpu_nic.hpp"

namespace qpcast::hw {

/// All times in us, by the SM's own clock.
struct GpuLatencies {
  std::vector<double> issue;            ///< until the put returns
  std::vector<double> doorbell_to_cqe;  ///< from there until its completion scope is complete
  std::vector<double> completion;       ///< both
  double sm_mhz = 0;                    ///< observed
};

struct GpuRate {
  double messages_per_us = 0;  ///< from the first thread's start to the last completion
  std::uint64_t messages = 0;
  double sm_mhz = 0;
};

struct GpuRoundTrips {
  std::vector<double> times;
  double sm_mhz = 0;
};

class GpuLink {
 public:
  /// @throws InputError for a layout that mini-gda or this GPU does not do, DeviceError
  GpuLink(GpuNic& nic, const Layout& layout, std::chrono::milliseconds patience);
  ~GpuLink();
  GpuLink(const GpuLink&) = delete;
  GpuLink& operator=(const GpuLink&) = delete;

  // Each pass starts on fresh queue pairs. In execute mode it checks every byte that arrived and
  // every completion, and throws DeviceError for the first that is wrong.
  GpuLatencies latency(std::uint32_t samples);
  GpuRate rate(std::chrono::milliseconds time);
  GpuRate rate(std::uint64_t messages_per_thread);
  GpuRoundTrips round_trip(std::uint32_t samples);

  const GpuLayout& layout() const { return layout_; }

 private:
  class Session;
  GpuLayout layout_;
  std::unique_ptr<Session> session_;
  double known_rate_ = 0;  ///< messages/us, of the last pass
};

/// The emulated NIC for a GPU; null in a build without CUDA.
/// @param server  outlives the result
std::unique_ptr<GpuNic> emulated_gpu_nic(emulated::Server& server);

/// Why there is no GPU to measure with; empty when there is. Called before anything else of CUDA:
/// it also settles that kernels are loaded at once, since one that serves queue pairs runs while
/// others are launched, and loading those lazily would wait for it for ever.
std::string no_gpu();
/// Where the GPU sits ("0000:18:00.0"), by which other libraries find it.
std::string gpu_pci_address();
/// Host memory that the GPU reaches at the same address; without a GPU its allocations throw.
std::pmr::memory_resource* pinned_resource();
/// What a layout may ask of the GPU; nothing of a build without CUDA.
GpuLimits gpu_limits();
/// Model, driver, clocks and versions of the GPU, for a row's environment.
std::map<std::string, std::string> gpu_environment();

}  // namespace qpcast::hw
