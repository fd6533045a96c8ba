#include "hw/nic/emulated/errors.hpp"

#include <fmt/format.h>

#include "hw/nic/direct/syndrome.hpp"
#include "hw/nic/emulated/perform.hpp"

namespace qpcast::hw::emulated {

namespace {

const char* advice(wqe::Defect defect) {
  switch (defect) {
    case wqe::Defect::none:
      return "the queue pair was already in error; an earlier completion says why";
    case wqe::Defect::opcode:
      return "the WQE's opcode is not one that this NIC knows";
    case wqe::Defect::index:
      return "the WQE's index is not the block's: was it announced before it was written?";
    case wqe::Defect::queue_number:
      return "the WQE names another queue pair";
    case wqe::Defect::segment_count:
      return "the WQE's segment count does not fit its opcode, or what was announced";
    case wqe::Defect::inline_length:
      return "inline data must be 1 to 220 B long and fill its segments";
    case wqe::Defect::address_vector:
      return "the DC address vector's length contradicts its extended mark";
    case wqe::Defect::atomic_operand:
      return "an atomic's result is 8 B long";
    case wqe::Defect::reserved:
      return "bits of the WQE that must be 0 are not";
  }
  return nullptr;
}

const char* advice(Refusal refusal) {
  switch (refusal) {
    case Refusal::announced:
      return "more blocks were announced than the send queue has";
    case Refusal::doorbell_number:
      return "the doorbell names another queue pair";
    case Refusal::local_key:
      return "no region has the local key";
    case Refusal::local_bounds:
      return "the source lies outside the registered region";
    case Refusal::remote_key:
      return "no region of the peer has the remote key";
    case Refusal::remote_bounds:
      return "the write left the peer's region";
    case Refusal::remote_access:
      return "the peer's region may not be written from afar";
    case Refusal::remote_alignment:
      return "an atomic's target must be 8 B aligned";
    case Refusal::no_receiver:
      return "the peer takes no immediates";
    case Refusal::not_connected:
      return "the queue pair is not connected";
    case Refusal::peer_gone:
      return "the peer died, or its queue pair is in error";
    case Refusal::access_key:
      return "the DC access key is not the target's";
    case Refusal::injected:
      return "the queue pair was put into error on request";
    case Refusal::none:
      break;
  }
  return "see the vendor syndrome";
}

}  // namespace

std::string describe(wqe::Syndrome syndrome, std::uint8_t vendor) {
  const char* why = advice(static_cast<wqe::Defect>(vendor));
  return fmt::format("{} (vendor syndrome {:#04x}): {}", direct::name(syndrome), vendor,
                     why ? why : advice(static_cast<Refusal>(vendor)));
}

std::string describe(Event event) {
  switch (event) {
    case Event::none:
      return "no event";
    case Event::queue_error:
      return "the queue pair went to error";
    case Event::completion_overrun:
      return "the completion queue overran; it must be as deep as the send queue";
    case Event::device_removed:
      return "the device was removed";
  }
  return "unknown event";
}

}  // namespace qpcast::hw::emulated
