/// Which processors are near a NIC, and threads bound to them.
#pragma once

#include <pthread.h>

#include <string>
#include <string_view>
#include <vector>

namespace qpcast::hw {

/// Parses the kernel's list format, "0-3,8". @throws InputError
std::vector<int> parse_cpu_list(std::string_view list);

/// The processors of a NUMA node; empty when the node is unknown (-1) or absent.
std::vector<int> cpus_of_node(int node);

/// The processors that the calling thread may run on, ascending; threads it starts inherit them.
std::vector<int> allowed_cpus();

/// Who runs where when the NIC is a thread of this process: each on a processor of its own, so that
/// a line that two of them share takes the same way in every pass. With fewer than four processors
/// the scheduler places them.
struct Places {
  int nic = -1;              ///< -1: wherever the scheduler likes
  int producer = -1;         ///< the thread that posts or hands descriptors over, the same
  std::vector<int> workers;  ///< of a proxy; empty: the same
};
Places places_beside_a_software_nic(const std::vector<int>& cpus = allowed_cpus());

/// The same beside an adapter, from the processors near it: the producer has the last one for
/// itself. Where producer and worker share a processor or not by the scheduler's whim, handing over
/// a descriptor costs one of two times. With a single processor the scheduler places them.
Places places_beside_an_adapter(const std::vector<int>& cpus);

/// Binds a thread to one processor. @return false when the system refuses
bool pin_thread(pthread_t thread, int cpu);
bool pin_this_thread(int cpu);

/// Binds the calling thread to one processor for a while; -1 leaves it alone.
class PinnedScope {
 public:
  explicit PinnedScope(int cpu);
  ~PinnedScope();
  PinnedScope(const PinnedScope&) = delete;
  PinnedScope& operator=(const PinnedScope&) = delete;
  bool held() const { return !before_.empty(); }  ///< the system did as asked

 private:
  std::vector<int> before_;  ///< empty: nothing to undo
};

}  // namespace qpcast::hw
