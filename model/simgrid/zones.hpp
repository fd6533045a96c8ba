/// SimGrid platform zones of a fabric: one host per PE, links in both directions, routes.
///
///   single-switch    a star zone
///   fat-tree         SimGrid's fat-tree zone, whose routes the destination decides (D-mod-K)
///   rail-optimised   a star zone per rail inside a full zone, joined by an uplink per rail
///
/// Links carry bandwidth only; latencies are the platform's, plus a hop per further switch, and are
/// added by who uses the route. One second of SimGrid's clock is one microsecond.
#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/fabric/fabric.hpp"

namespace qpcast::simgrid {

class Zones {
 public:
  /// Builds the zones in the running engine. @param line  bytes per us of a PE's link
  Zones(const Fabric& fabric, std::uint32_t ranks, std::uint32_t gpus_per_node, double line);

  ::simgrid::s4u::Host* host(std::uint32_t rank) const { return hosts_[rank]; }
  /// Links from one rank to another, in order, as numbers. Valid until the next call.
  const std::vector<std::uint32_t>& route(std::uint32_t from, std::uint32_t to);
  std::size_t link_count() const { return links_.size(); }
  const std::string& link_name(std::size_t link) const { return links_[link].name; }
  double bytes_per_us(std::size_t link) const { return links_[link].bandwidth; }

 private:
  struct Link {
    std::string name;
    double bandwidth;
  };
  void single_switch(std::uint32_t ranks);
  void fat_tree(const Fabric& fabric, std::uint32_t ranks);
  void rails(const Fabric& fabric, std::uint32_t ranks, std::uint32_t per_node);
  void add_pe(::simgrid::s4u::NetZone* star, std::uint32_t rank);
  std::uint32_t number(const ::simgrid::s4u::Link* link);

  double line_;
  std::vector<::simgrid::s4u::Host*> hosts_;
  std::vector<Link> links_;
  std::unordered_map<const ::simgrid::s4u::Link*, std::uint32_t> numbers_;
  std::vector<::simgrid::s4u::Link*> found_;
  std::vector<std::uint32_t> route_;
};

}  // namespace qpcast::simgrid
