/// A NIC as mini-gda uses it: something that serves queue pairs which a GPU writes.
#pragma once

#include <memory>
#include <string>

#include "hw/gda/gpu_layout.hpp"
#include "hw/gda/queue_server.hpp"

namespace qpcast::hw {

class GpuNic {
 public:
  virtual ~GpuNic() = default;
  /// False for a NIC that retires blocks without reading them (emulated, sink mode).
  virtual bool executes() const { return true; }
  /// Why the GPU cannot ring by itself, with the setting that permits it; empty when it can. A
  /// host thread then forwards its doorbells (submitter=cpu-assisted).
  virtual std::string why_no_doorbell() const { return {}; }
  /// Why no queue pair sends over DC; empty when they do.
  virtual std::string why_no_dc() const { return {}; }
  /// @throws DeviceError
  virtual std::unique_ptr<gda::QueueServer> serve(const GpuLayout& layout) = 0;
};

}  // namespace qpcast::hw
