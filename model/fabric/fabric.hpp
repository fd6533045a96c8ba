/// Fabric: the switches between the NICs of a cluster, as a description that a file states.
///
///   single-switch    every PE on one switch that never blocks
///   fat-tree         two levels: leaves of `pes_per_leaf` PEs, and pes_per_leaf / oversubscription
///                    spines with one link to every leaf; the destination decides the spine
///   rail-optimised   one switch per GPU of a node ("rail"); what changes rail crosses an uplink
///                    of every rail, 1 / oversubscription as wide as the rail's PEs together
///
/// Links run at the platform's line rate unless the file says otherwise. The platform's base
/// latency was measured through one switch; every further one adds `hop`. A switch port stores
/// `buffer` bytes of one input before it stops the link behind it (lossless, one virtual lane).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/units.hpp"

namespace qpcast {

enum class Topology : std::uint8_t { single_switch, fat_tree, rail_optimised };

struct Fabric {
  std::string name = "single-switch";
  std::string description, source;
  Topology topology = Topology::single_switch;
  std::uint32_t pes_per_leaf = 16;        ///< fat tree only
  double oversubscription = 1;            ///< downward over upward capacity, at least 1
  std::optional<double> link_gbit_per_s;  ///< else the platform's
  Duration hop = Duration::us(0.13);      ///< one switch more on the way
  Bytes buffer{65536};
  Bytes quantum{16384};  ///< what a NIC sends of one queue pair before the next one's turn

  std::uint32_t spines() const {
    return static_cast<std::uint32_t>(static_cast<double>(pes_per_leaf) / oversubscription);
  }
};

/// The topology's name in files, and back. Nothing for an unknown name.
std::string topology_name(Topology topology);
std::optional<Topology> find_topology(const std::string& name);
/// Every topology's name, for messages.
std::string topology_names();

/// Checks that so many ranks fit the fabric. @throws InputError naming the key
void check(const Fabric& fabric, std::uint32_t ranks, std::uint32_t gpus_per_node,
           const std::string& source);

}  // namespace qpcast
