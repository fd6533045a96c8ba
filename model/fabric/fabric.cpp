#include "model/fabric/fabric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "model/error.hpp"

namespace qpcast {

namespace {

constexpr std::array names{"single-switch", "fat-tree", "rail-optimised"};

void check_fat_tree(const Fabric& f, std::uint32_t ranks, const std::string& source) {
  if (ranks % f.pes_per_leaf != 0)
    throw InputError{source, "ranks",
                     fmt::format("{} does not fill leaves of {}; give a multiple, or change "
                                 "pes_per_leaf of the fabric",
                                 ranks, f.pes_per_leaf)};
  const double spines = f.pes_per_leaf / f.oversubscription;
  if (spines < 1 || spines != std::floor(spines))
    throw InputError{source, "oversubscription",
                     fmt::format("{} leaves {:.3g} uplinks for {} PEs; pes_per_leaf / "
                                 "oversubscription must be a whole number",
                                 f.oversubscription, spines, f.pes_per_leaf)};
}

}  // namespace

std::string topology_name(Topology topology) {
  return names.at(static_cast<std::size_t>(topology));
}

std::optional<Topology> find_topology(const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names.at(i)) return static_cast<Topology>(i);
  return std::nullopt;
}

std::string topology_names() { return fmt::format("{}", fmt::join(names, ", ")); }

void check(const Fabric& f, std::uint32_t ranks, std::uint32_t gpus_per_node,
           const std::string& source) {
  if (f.topology == Topology::fat_tree) check_fat_tree(f, ranks, source);
  if (f.topology == Topology::rail_optimised && ranks % gpus_per_node != 0)
    throw InputError{source, "ranks",
                     fmt::format("{} does not fill nodes of gpus_per_node={}; every rail needs as "
                                 "many PEs as the others",
                                 ranks, gpus_per_node)};
}

}  // namespace qpcast
