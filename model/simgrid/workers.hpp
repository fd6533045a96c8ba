/// Proxy: producers put descriptors into rings, CPU workers chain them into posts.
///
/// Worker w polls rings w, w + T, ... in turn and takes what it finds, until it holds
/// worker_window requests; it posts the oldest, up to B at once, for post_fixed + post_each * n us,
/// the serial share of which is under a lock that all workers share. An idle worker needs `pickup`
/// to notice a descriptor; in one case of a hundred it first leaves an idle state, which takes
/// between half and one and a half times the host's tail. A group of producers (a background
/// CTA of 32, else those of one ring) keeps cta_window
/// descriptors queued and then waits. Background CTAs have one ring each (modulo R), other
/// producers spread over the rings; producers with a window also wait for completions.
/// With submitter=host the workers make the requests themselves, up to their window.
#pragma once

#include <deque>

#include "model/simgrid/traffic.hpp"

namespace qpcast::simgrid {

class Workers : public Traffic {
 public:
  Workers(World& world, bool idle);
  void start() override;
  void handle(const Event& event) override;
  void submit_probe(double now) override;
  std::string waiting() const override;
  double submitter_busy_us() const override { return produced_us_; }
  double worker_busy_us() const override { return worker_busy_; }
  double lock_busy_us() const override { return lock_busy_; }

 private:
  struct Request {
    double began;
    std::uint32_t producer;  ///< probe_request for the probe's
  };
  struct Worker {
    std::deque<Request> taken;
    std::vector<std::uint32_t> rings;
    std::size_t next_ring = 0;
    bool idle = true;
    std::uint32_t posting = 0;
    double outstanding = 0;            ///< of a host that posts itself and has a window
    std::deque<std::uint32_t> chains;  ///< their sizes, oldest first
  };
  struct Cta {
    std::uint32_t queued = 0;
    std::deque<std::uint32_t> blocked;  ///< producers that wait for room
  };
  struct Producer {
    double outstanding = 0, began = 0;
    bool blocked = false;  ///< waits for a completion
  };

  void produce(std::uint32_t producer, double now);
  void handed_off(std::uint32_t producer, double now);
  void enqueue(std::uint32_t ring, Request request, double now);
  void collect(Worker& worker, double now);
  void generate(Worker& worker, double now) const;
  void work(std::uint32_t w, double now);
  void batch_returned(std::uint32_t w, double now);
  void posted(std::uint32_t w, double now);
  void finish(const Request& request, const Nic::Passage& passage);
  std::uint32_t group_of(std::uint32_t producer) const;
  std::uint32_t probe_ring() const;

  World& world_;
  bool idle_;
  std::uint32_t ring_capacity_;
  std::vector<std::deque<Request>> rings_;
  std::vector<std::uint32_t> served_by_;
  std::vector<Worker> workers_;
  std::vector<Cta> ctas_;
  std::vector<Producer> producers_;
  double lock_free_ = 0;
  double produced_us_ = 0, worker_busy_ = 0, lock_busy_ = 0;
};

}  // namespace qpcast::simgrid
