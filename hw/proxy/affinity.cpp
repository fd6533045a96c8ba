#include "hw/proxy/affinity.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "model/error.hpp"

namespace qpcast::hw {

namespace {

int parse_cpu(std::string_view text, std::string_view list) {
  int cpu = -1;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (code != std::errc{} || stop != text.data() + text.size() || cpu < 0 || cpu >= CPU_SETSIZE)
    throw InputError{"cpu list", std::string{list}, "ranges such as 0-3,8 are right"};
  return cpu;
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view list) {
  std::vector<int> cpus;
  for (auto rest = list; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto item = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const auto dash = item.find('-');
    const int first = parse_cpu(item.substr(0, dash), list);
    const int last = dash == item.npos ? first : parse_cpu(item.substr(dash + 1), list);
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> cpus_of_node(int node) {
  if (node < 0) return {};
  std::ifstream file{"/sys/devices/system/node/node" + std::to_string(node) + "/cpulist"};
  std::string list;
  if (!std::getline(file, list)) return {};
  return parse_cpu_list(list);
}

bool pin_this_thread(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

}  // namespace qpcast::hw
