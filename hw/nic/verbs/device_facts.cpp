#include "hw/nic/verbs/device_facts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace qpcast::hw::verbs {

namespace {

bool is_ipv4(const ibv_gid& gid) {
  for (int i = 0; i < 10; ++i)
    if (gid.raw[i] != 0) return false;
  return gid.raw[10] == 0xff && gid.raw[11] == 0xff;
}

std::string first_line(const std::string& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

/// Names that every driver uses for retransmissions, timeouts and refused packets.
bool means_trouble(const std::string& counter) {
  for (const auto* part : {"err", "retry", "retran", "timeout", "out_of_seq", "duplicate", "rnr"})
    if (counter.find(part) != counter.npos) return true;
  return false;
}

}  // namespace

int choose_gid(ibv_context& context, int port, const ibv_port_attr& attributes) {
  if (attributes.link_layer != IBV_LINK_LAYER_ETHERNET) return 0;
  for (int i = 0; i < attributes.gid_tbl_len; ++i) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(&context, static_cast<std::uint32_t>(port), static_cast<std::uint32_t>(i),
                         &entry, 0) == 0 &&
        entry.gid_type == IBV_GID_TYPE_ROCE_V2 && is_ipv4(entry.gid))
      return i;
  }
  return 0;
}

std::map<std::string, std::string> facts_of(ibv_context& context, const std::string& name,
                                            const ibv_port_attr& port, int port_number,
                                            int gid_index) {
  const std::string sysfs = "/sys/class/infiniband/" + name;
  ibv_device_attr attributes{};
  std::map<std::string, std::string> facts{{"nic", name}};
  if (ibv_query_device(&context, &attributes) == 0)
    facts["nic.firmware"] = std::string{attributes.fw_ver};
  const auto numa = first_line(sysfs + "/device/numa_node");
  if (!numa.empty()) facts["nic.numa_node"] = numa;
  // Kernel transports such as Soft-RoCE have no device under them.
  facts["nic.software"] = std::filesystem::exists(sysfs + "/device") ? "no" : "yes";
  const auto rate = first_line(fmt::format("{}/ports/{}/rate", sysfs, port_number));
  if (!rate.empty()) facts["nic.link"] = rate;
  const auto board = first_line(sysfs + "/board_id");
  if (!board.empty()) facts["nic.board"] = board;
  facts["nic.link_layer"] = port.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand";
  facts["nic.mtu"] = std::to_string(128 << port.active_mtu);
  facts["nic.gid_index"] = std::to_string(gid_index);
  return facts;
}

std::map<std::string, std::uint64_t> error_counters(const std::string& name, int port_number) {
  const std::filesystem::path folder{
      fmt::format("/sys/class/infiniband/{}/ports/{}/hw_counters", name, port_number)};
  std::map<std::string, std::uint64_t> counters;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator{folder, none}) {
    const auto counter = file.path().filename().string();
    if (!means_trouble(counter)) continue;
    std::uint64_t value = 0;
    if (std::ifstream{file.path()} >> value) counters[counter] = value;
  }
  return counters;
}

}  // namespace qpcast::hw::verbs
