/// Error completions and asynchronous events as text with advice.
#pragma once

#include <infiniband/verbs.h>

#include <string>

namespace qpcast::hw::verbs {

/// "retry counter exceeded (vendor error 0x81): the peer died or ..."
std::string describe(ibv_wc_status status, unsigned vendor_error);

/// Makes the context's event descriptor non-blocking. @throws DeviceError
void never_wait_for_events(ibv_context& context, const std::string& device);

/// Throws DeviceError for the first pending event that ends the run: device removed, QP or CQ in
/// error, port down. Returns at once when there is none. The context's event descriptor must be
/// non-blocking.
void check_events(ibv_context& context, const std::string& device);

}  // namespace qpcast::hw::verbs
