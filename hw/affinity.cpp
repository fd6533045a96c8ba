#include "hw/affinity.hpp"

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

bool bind(pthread_t thread, const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return pthread_setaffinity_np(thread, sizeof set, &set) == 0;
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

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

Places places_beside_a_software_nic(const std::vector<int>& cpus) {
  constexpr std::size_t enough = 4;
  if (cpus.size() < enough) return {};
  return {cpus.back(), cpus.front(), {cpus.begin() + 1, cpus.end() - 1}};
}

Places places_beside_an_adapter(const std::vector<int>& cpus) {
  if (cpus.size() < 2) return {};
  return {-1, cpus.back(), {cpus.begin(), cpus.end() - 1}};
}

bool pin_thread(pthread_t thread, int cpu) { return bind(thread, {cpu}); }
bool pin_this_thread(int cpu) { return pin_thread(pthread_self(), cpu); }

PinnedScope::PinnedScope(int cpu) {
  if (cpu < 0) return;
  before_ = allowed_cpus();
  if (!pin_this_thread(cpu)) before_.clear();
}

PinnedScope::~PinnedScope() {
  if (!before_.empty()) bind(pthread_self(), before_);
}

}  // namespace qpcast::hw
