#include "model/simgrid/zones.hpp"

#include <fmt/format.h>

namespace qpcast::simgrid {

namespace sg = ::simgrid::s4u;

Zones::Zones(const Fabric& fabric, std::uint32_t ranks, std::uint32_t gpus_per_node, double line)
    : line_{line}, hosts_(ranks) {
  switch (fabric.topology) {
    case Topology::single_switch:
      single_switch(ranks);
      break;
    case Topology::fat_tree:
      fat_tree(fabric, ranks);
      break;
    case Topology::rail_optimised:
      rails(fabric, ranks, gpus_per_node);
      break;
  }
}

/// A host in a star zone, with a link up and one down.
void Zones::add_pe(sg::NetZone* star, std::uint32_t rank) {
  auto* host = star->create_host(fmt::format("pe{}", rank), 1.0)->seal();
  const auto* up = star->create_link(fmt::format("pe{} up", rank), line_)->seal();
  const auto* down = star->create_link(fmt::format("pe{} down", rank), line_)->seal();
  star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg::LinkInRoute{up}}, false);
  star->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {sg::LinkInRoute{down}}, false);
  hosts_[rank] = host;
}

void Zones::single_switch(std::uint32_t ranks) {
  auto* star = sg::create_star_zone("switch");
  for (std::uint32_t r = 0; r < ranks; ++r) add_pe(star, r);
  star->seal();
}

void Zones::fat_tree(const Fabric& f, std::uint32_t ranks) {
  const auto set_host = [&](sg::NetZone* zone, const std::vector<unsigned long>&,
                            unsigned long id) {
    auto* host = zone->create_host(fmt::format("pe{}", id), 1.0)->seal();
    hosts_[id] = host;
    using Points =
        std::pair<::simgrid::kernel::routing::NetPoint*, ::simgrid::kernel::routing::NetPoint*>;
    return Points{host->get_netpoint(), nullptr};
  };
  const sg::FatTreeParams tree{
      2, {f.pes_per_leaf, ranks / f.pes_per_leaf}, {1, f.spines()}, {1, 1}};
  sg::create_fatTree_zone("tree", nullptr, tree, sg::ClusterCallbacks{set_host}, line_, 0,
                          sg::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
}

void Zones::rails(const Fabric& f, std::uint32_t ranks, std::uint32_t per_node) {
  auto* root = sg::create_full_zone("rails");
  struct Rail {
    sg::NetZone* zone;
    ::simgrid::kernel::routing::NetPoint* gateway;
    const sg::Link *up, *down;
  };
  std::vector<Rail> rails;
  const double wide = line_ * (ranks / per_node) / f.oversubscription;
  for (std::uint32_t r = 0; r < per_node; ++r) {
    auto* star = sg::create_star_zone(fmt::format("rail{}", r));
    star->set_parent(root);
    for (auto rank = r; rank < ranks; rank += per_node) add_pe(star, rank);
    auto* gateway = star->create_router(fmt::format("rail{} switch", r));
    star->add_route(gateway, nullptr, nullptr, nullptr, {}, true);
    star->seal();
    rails.push_back({star, gateway, root->create_link(fmt::format("rail{} up", r), wide)->seal(),
                     root->create_link(fmt::format("rail{} down", r), wide)->seal()});
  }
  for (const auto& a : rails)
    for (const auto& b : rails)
      if (a.zone != b.zone)
        root->add_route(a.zone->get_netpoint(), b.zone->get_netpoint(), a.gateway, b.gateway,
                        {sg::LinkInRoute{a.up}, sg::LinkInRoute{b.down}}, false);
  root->seal();
}

std::uint32_t Zones::number(const sg::Link* link) {
  const auto [it, fresh] = numbers_.emplace(link, static_cast<std::uint32_t>(links_.size()));
  if (fresh) links_.push_back({link->get_name(), link->get_bandwidth()});
  return it->second;
}

const std::vector<std::uint32_t>& Zones::route(std::uint32_t from, std::uint32_t to) {
  found_.clear();
  route_.clear();
  double latency = 0;
  hosts_[from]->route_to(hosts_[to], found_, &latency);
  for (const auto* link : found_) route_.push_back(number(link));
  return route_;
}

}  // namespace qpcast::simgrid
