/// submitter=proxy: the calling thread hands descriptors to mini-proxy, as a GPU thread would.
///
/// It is a CPU producer, and the rows that it makes say so.
#pragma once

#include <vector>

#include "hw/experiments/submitter.hpp"
#include "hw/proxy/proxy.hpp"

namespace qpcast::hw {

template <class Producer>
class ProxySubmitter final : public RequestSubmitter {
 public:
  explicit ProxySubmitter(Proxy& proxy) : proxy_{proxy} {
    for (std::size_t r = 0; r < proxy.rings(); ++r) {
      views_.push_back(proxy.ring(r));
      producers_.emplace_back(views_.back());
    }
  }
  std::size_t queues() const override { return producers_.size(); }
  std::uint64_t granularity() const override { return 1; }  // the worker makes the chains
  void submit(std::size_t queue, const Request& request) override {
    proxy_.push(producers_[queue], queue, request);
  }
  void flush(std::size_t /*queue*/) override {}
  std::uint64_t completed(std::size_t queue) override { return hw::completed(views_[queue]); }
  void wait(std::size_t queue, std::uint64_t count) override { proxy_.wait(queue, count); }
  void check() override { proxy_.check(); }

 private:
  Proxy& proxy_;
  std::vector<RingView> views_;
  std::vector<Producer> producers_;
};

}  // namespace qpcast::hw
