#include "hw/nic/verbs/errors.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw::verbs {

namespace {

const char* advice(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
      return "the peer died, its queue pair is gone, or the link is down";
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return "the peer posted no receive";
    case IBV_WC_REM_ACCESS_ERR:
      return "the peer refused the address or key; the write left its region";
    case IBV_WC_REM_INV_REQ_ERR:
      return "the peer refused the request; is remote write allowed there?";
    case IBV_WC_LOC_PROT_ERR:
      return "the source lies outside the registered region";
    case IBV_WC_LOC_LEN_ERR:
      return "the message is longer than the queue pair allows";
    case IBV_WC_LOC_QP_OP_ERR:
      return "the work request is malformed for this queue pair";
    case IBV_WC_WR_FLUSH_ERR:
      return "the queue pair was already in error; an earlier completion says why";
    case IBV_WC_FATAL_ERR:
      return "the device failed; see the kernel log";
    default:
      return "see the kernel log of both nodes";
  }
}

const char* advice(ibv_event_type type) {
  switch (type) {
    case IBV_EVENT_DEVICE_FATAL:
      return "the device was removed or failed; see the kernel log";
    case IBV_EVENT_CQ_ERR:
      return "the completion queue overran; it must be as deep as the send queue";
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_PATH_MIG_ERR:
      return "the queue pair went to error";
    case IBV_EVENT_PORT_ERR:
      return "the link went down; check the cable or the interface";
    default:
      return nullptr;
  }
}

}  // namespace

std::string describe(ibv_wc_status status, unsigned vendor_error) {
  return fmt::format("{} (vendor error {:#x}): {}", ibv_wc_status_str(status), vendor_error,
                     advice(status));
}

void never_wait_for_events(ibv_context& context, const std::string& device) {
  const int flags = ::fcntl(context.async_fd, F_GETFL);
  if (flags < 0 || ::fcntl(context.async_fd, F_SETFL, flags | O_NONBLOCK) < 0)
    throw DeviceError{device, "fcntl", errno, "cannot make the event descriptor non-blocking"};
}

void check_events(ibv_context& context, const std::string& device) {
  ibv_async_event event{};
  while (ibv_get_async_event(&context, &event) == 0) {
    const auto type = event.event_type;
    ibv_ack_async_event(&event);
    const char* const why = advice(type);
    if (!why) continue;
    if (type == IBV_EVENT_DEVICE_FATAL || type == IBV_EVENT_PORT_ERR)
      throw DeviceError{device, ibv_event_type_str(type), 0, why};
    throw TransportError{device, ibv_event_type_str(type), 0, why};
  }
  // A hot-unplugged device answers ENODEV or EIO; EAGAIN only says that nothing happened.
  if (errno != EAGAIN && errno != EINTR)
    throw DeviceError{device, "ibv_get_async_event", errno, "was the device removed?"};
}

}  // namespace qpcast::hw::verbs
