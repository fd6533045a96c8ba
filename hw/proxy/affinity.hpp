/// Which processors are near a NIC, and threads bound to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qpcast::hw {

/// Parses the kernel's list format, "0-3,8". @throws InputError
std::vector<int> parse_cpu_list(std::string_view list);

/// The processors of a NUMA node; empty when the node is unknown (-1) or absent.
std::vector<int> cpus_of_node(int node);

/// Binds the calling thread to one processor. @return false when the system refuses
bool pin_this_thread(int cpu);

}  // namespace qpcast::hw
