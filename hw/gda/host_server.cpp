#include "hw/gda/queue_server.hpp"

namespace qpcast::hw::gda {

std::optional<emulated::Counters> HostServer::stop() {
  emulated::Counters sum;
  for (const auto number : numbers_) sum += server_.counters(number);
  release();
  return sum;
}

void HostServer::release() {
  for (const auto number : numbers_) server_.detach(number);
  for (const auto key : keys_) server_.deregister(key);
  numbers_.clear();
  keys_.clear();
}

}  // namespace qpcast::hw::gda
