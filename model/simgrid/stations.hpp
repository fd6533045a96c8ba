/// The links of a fabric as stations: each serves bursts first come, first served.
///
/// A burst cuts through: its head enters a link when the link is free and the head has arrived, its
/// tail leaves when all bytes have passed and the tail has arrived. A port stores `buffer` bytes of
/// one input; what does not fit keeps the link behind it busy, and the first link the sender's
/// engine. Bursts pass their whole route in the order in which they leave their engines, which is
/// exact for equal latencies and close where a route has a hop more.
#pragma once

#include <algorithm>
#include <vector>

#include "model/simgrid/zones.hpp"

namespace qpcast::simgrid {

class Stations {
 public:
  Stations(Zones& zones, double buffer) : zones_{zones}, buffer_{buffer} {}

  struct Transfer {
    double first_in;    ///< the burst's head enters the last link
    double last_out;    ///< its tail has left the last link
    double leaves_nic;  ///< its tail has left the first link
    double nic_held;    ///< the sender's engine takes nothing more before
  };
  Transfer pass(const std::vector<std::uint32_t>& route, double bytes, double head, double tail) {
    ends_.clear();
    free_.resize(zones_.link_count());
    busy_.resize(zones_.link_count());
    for (const auto link : route) {
      const double time = bytes / zones_.bytes_per_us(link);
      head = std::max(head, free_[link]);
      tail = std::max(head + time, tail);
      free_[link] = tail;
      busy_[link] += time;
      ends_.push_back(tail);
    }
    for (std::size_t i = ends_.size() - 1; i > 0; --i)
      free_[route[i - 1]] = std::max(free_[route[i - 1]], ends_[i] - room(route[i]));
    return {head, tail, ends_.front(), ends_.front() - room(route.front())};
  }
  double busy(std::size_t link) const { return link < busy_.size() ? busy_[link] : 0; }

 private:
  double room(std::uint32_t link) const { return buffer_ / zones_.bytes_per_us(link); }

  Zones& zones_;
  double buffer_;
  std::vector<double> free_, busy_, ends_;
};

}  // namespace qpcast::simgrid
