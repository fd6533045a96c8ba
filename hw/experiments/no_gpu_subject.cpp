#include <cerrno>

#include "hw/experiments/subject.hpp"
#include "hw/gda/gpu_link.hpp"

namespace qpcast::hw {

std::unique_ptr<Subject> open_gpu_subject(const Bench& /*bench*/, const Point& /*point*/) {
  throw DeviceError{"gpu", "open", EOPNOTSUPP, no_gpu()};
}

}  // namespace qpcast::hw
