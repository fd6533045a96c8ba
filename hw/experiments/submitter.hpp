/// One way of getting work requests to a NIC from a CPU, as the passes see it.
///
/// Two exist: a thread that posts by itself (host_submitter.hpp) and a producer that hands
/// descriptors to mini-proxy (proxy_submitter.hpp). Queues are queue pairs or rings.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/proxy/descriptor.hpp"

namespace qpcast::hw {

class RequestSubmitter {
 public:
  virtual ~RequestSubmitter() = default;
  virtual std::size_t queues() const = 0;
  /// Requests that are announced together; submitting fewer wastes a doorbell.
  virtual std::uint64_t granularity() const = 0;
  /// Hands over one request; may wait for space. Returns when the submitter is free again.
  virtual void submit(std::size_t queue, const Request& request) = 0;
  /// Announces what a batch still holds back.
  virtual void flush(std::size_t queue) = 0;
  /// Requests of the queue that the NIC has finished.
  virtual std::uint64_t completed(std::size_t queue) = 0;
  /// Waits until `count` requests of the queue are finished. Every wait has a deadline.
  virtual void wait(std::size_t queue, std::uint64_t count) = 0;
  /// Throws what went wrong elsewhere, or Interrupted.
  virtual void check() = 0;
};

}  // namespace qpcast::hw
