#include "hw/nic/verbs/verbs.hpp"

namespace qpcast::hw {

std::unique_ptr<Nic> open_verbs(const VerbsOptions& options) {
  throw DeviceError{options.device.empty() ? "verbs" : options.device, "open", 0,
                    "this build has no libibverbs: install the Debian package 'libibverbs-dev' and "
                    "configure again"};
}

}  // namespace qpcast::hw
