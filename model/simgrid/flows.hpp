/// The bursts that one NIC has under way, each as a SimGrid communication.
#pragma once

#include <simgrid/s4u.hpp>
#include <utility>
#include <vector>

#include "model/simgrid/rank.hpp"

namespace qpcast::simgrid {

struct Flow {
  ::simgrid::s4u::CommPtr comm;
  Rank::Piece piece;
  Engine::Service served;
};

class Flows {
 public:
  bool empty() const { return flows_.empty(); }
  std::size_t size() const { return flows_.size(); }
  void start(Flow flow) {
    comms_.push_back(flow.comm);
    flows_.push_back(std::move(flow));
  }
  /// Waits until one has arrived; it leaves.
  Flow wait() {
    const auto at = ::simgrid::s4u::Comm::wait_any(comms_);
    auto flow = std::move(flows_[static_cast<std::size_t>(at)]);
    comms_.erase(comms_.begin() + at);
    flows_.erase(flows_.begin() + at);
    return flow;
  }

 private:
  std::vector<::simgrid::s4u::CommPtr> comms_;
  std::vector<Flow> flows_;
};

}  // namespace qpcast::simgrid
