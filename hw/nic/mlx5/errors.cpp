#include "hw/nic/mlx5/errors.hpp"

#include <fmt/format.h>

#include "hw/nic/direct/syndrome.hpp"

namespace qpcast::hw::mlx5 {

namespace {

const char* advice(wqe::Syndrome syndrome) {
  switch (syndrome) {
    case wqe::Syndrome::retries_exceeded:
      return "the peer died, its queue pair is gone, or the link is down";
    case wqe::Syndrome::receiver_not_ready:
      return "the peer posted no receive";
    case wqe::Syndrome::remote_access:
      return "the peer refused the address or key; the write left its region";
    case wqe::Syndrome::remote_invalid_request:
    case wqe::Syndrome::remote_operation:
      return "the peer refused the request; is remote write allowed there?";
    case wqe::Syndrome::local_protection:
      return "the source lies outside the registered region";
    case wqe::Syndrome::local_length:
      return "the message is longer than the queue pair allows";
    case wqe::Syndrome::local_qp_operation:
      return "the WQE is malformed for this queue pair, or was announced before it was written";
    case wqe::Syndrome::flushed:
      return "the queue pair was already in error; an earlier completion says why";
    case wqe::Syndrome::none:
      break;
  }
  return "see the kernel log of both nodes";
}

}  // namespace

std::string describe(wqe::Syndrome syndrome, std::uint8_t vendor) {
  return fmt::format("{} (vendor syndrome {:#04x}): {}", direct::name(syndrome), vendor,
                     advice(syndrome));
}

}  // namespace qpcast::hw::mlx5
