/// What libibverbs and sysfs tell of a device; for every back end that opens one.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <map>
#include <string>

namespace qpcast::hw::verbs {

/// RoCE version 2 over IPv4 is what both ends most often share; otherwise entry 0.
int choose_gid(ibv_context& context, int port, const ibv_port_attr& attributes);

/// Firmware, link, NUMA node and the like, for a row's environment.
std::map<std::string, std::string> facts_of(ibv_context& context, const std::string& name,
                                            const ibv_port_attr& port, int port_number,
                                            int gid_index);

/// The port's hardware counters that mean trouble (retransmissions, timeouts, refused packets);
/// empty for a device that has none.
std::map<std::string, std::uint64_t> error_counters(const std::string& name, int port_number);

}  // namespace qpcast::hw::verbs
