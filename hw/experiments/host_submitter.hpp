/// submitter=host: the calling thread chains requests and posts them on its own queue pairs.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <span>
#include <vector>

#include "hw/experiments/submitter.hpp"
#include "hw/nic/nic.hpp"

namespace qpcast::hw {

struct HostOptions {
  std::uint32_t batch = 1;         ///< requests per post
  std::uint32_t depth = 128;       ///< of each channel
  std::uint32_t inline_up_to = 0;  ///< B
  bool visit_all = false;          ///< a completion visits every queue pair (completion=all-qp)
  std::chrono::milliseconds patience{5000};
  const std::atomic<bool>* interrupted = nullptr;
};

class HostSubmitter final : public RequestSubmitter {
 public:
  HostSubmitter(std::span<Channel* const> channels, const HostOptions& options);
  std::size_t queues() const override { return lanes_.size(); }
  std::uint64_t granularity() const override { return options_.batch; }
  void submit(std::size_t queue, const Request& request) override;
  void flush(std::size_t queue) override;
  std::uint64_t completed(std::size_t queue) override;
  void wait(std::size_t queue, std::uint64_t count) override;
  void check() override;

 private:
  struct Chain {
    std::uint64_t id, count;
  };
  struct Lane {
    Channel* channel;
    std::vector<WorkRequest> pending;
    std::deque<Chain> chains;
    std::uint64_t submitted = 0, completed = 0, next_id = 1;
  };
  void reap(Lane& lane);
  HostOptions options_;
  std::vector<Lane> lanes_;
  std::vector<Completed> completions_;
};

}  // namespace qpcast::hw
