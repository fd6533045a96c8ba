#include "hw/nic/direct/syndrome.hpp"

namespace qpcast::hw::direct {

const char* name(wqe::Syndrome syndrome) {
  switch (syndrome) {
    case wqe::Syndrome::none:
      return "no error";
    case wqe::Syndrome::local_length:
      return "local length error";
    case wqe::Syndrome::local_qp_operation:
      return "local QP operation error";
    case wqe::Syndrome::local_protection:
      return "local protection error";
    case wqe::Syndrome::flushed:
      return "work request flushed error";
    case wqe::Syndrome::remote_invalid_request:
      return "remote invalid request error";
    case wqe::Syndrome::remote_access:
      return "remote access error";
    case wqe::Syndrome::remote_operation:
      return "remote operation error";
    case wqe::Syndrome::retries_exceeded:
      return "transport retry counter exceeded";
    case wqe::Syndrome::receiver_not_ready:
      return "RNR retry counter exceeded";
  }
  return "unknown syndrome";
}

}  // namespace qpcast::hw::direct
