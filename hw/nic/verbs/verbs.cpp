#include "hw/nic/verbs/verbs.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "hw/nic/verbs/channel.hpp"

namespace qpcast::hw {

namespace verbs {
namespace {

struct ListDeleter {
  void operator()(ibv_device** list) const noexcept { ibv_free_device_list(list); }
};

Context open_context(const std::string& wanted) {
  int count = 0;
  const std::unique_ptr<ibv_device* [], ListDeleter> list { ibv_get_device_list(&count) };
  std::string names;
  for (int i = 0; list && i < count; ++i) {
    const std::string name = ibv_get_device_name(list[static_cast<std::size_t>(i)]);
    if (wanted.empty() || name == wanted) {
      Context context{ibv_open_device(list[static_cast<std::size_t>(i)])};
      if (!context) throw DeviceError{name, "ibv_open_device", errno, "may this user open it?"};
      return context;
    }
    names += " " + name;
  }
  throw DeviceError{wanted.empty() ? "verbs" : wanted, "ibv_get_device_list", 0,
                    names.empty() ? "this machine has no verbs device (scripts/softroce makes one)"
                                  : "no such device; there are:" + names};
}

bool is_ipv4(const ibv_gid& gid) {
  for (int i = 0; i < 10; ++i)
    if (gid.raw[i] != 0) return false;
  return gid.raw[10] == 0xff && gid.raw[11] == 0xff;
}

/// RoCE version 2 over IPv4 is what both ends most often share; otherwise entry 0.
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

std::string first_line(const std::string& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

class VerbsNic final : public Nic {
 public:
  explicit VerbsNic(const VerbsOptions& options) : device_{std::make_shared<Device>()} {
    auto& d = *device_;
    d.context = open_context(options.device);
    d.name = ibv_get_device_name(d.context->device);
    d.port_number = options.port;
    d.pd.reset(ibv_alloc_pd(d.context.get()));
    if (!d.pd) throw DeviceError{d.name, "ibv_alloc_pd", errno, ""};
    const int code =
        ibv_query_port(d.context.get(), static_cast<std::uint8_t>(options.port), &d.port);
    if (code != 0) throw DeviceError{d.name, "ibv_query_port", code, "is the port number right?"};
    if (d.port.state != IBV_PORT_ACTIVE)
      throw DeviceError{d.name, "ibv_query_port", 0,
                        fmt::format("port {} is {}; bring the link up", options.port,
                                    ibv_port_state_str(d.port.state))};
    d.gid_index =
        options.gid_index >= 0 ? options.gid_index : choose_gid(*d.context, options.port, d.port);
    if (ibv_query_gid(d.context.get(), static_cast<std::uint8_t>(options.port), d.gid_index,
                      &d.gid) != 0)
      throw DeviceError{d.name, "ibv_query_gid", errno,
                        fmt::format("no GID index {} (-x)", d.gid_index)};
    // Event checks must never wait.
    const int flags = ::fcntl(d.context->async_fd, F_GETFL);
    if (flags < 0 || ::fcntl(d.context->async_fd, F_SETFL, flags | O_NONBLOCK) < 0)
      throw DeviceError{d.name, "fcntl", errno, "cannot make the event descriptor non-blocking"};
  }

  std::string kind() const override { return "verbs"; }
  std::string name() const override { return device_->name; }
  std::map<std::string, std::string> environment() const override;
  std::map<std::string, std::uint64_t> error_counters() const override;
  std::unique_ptr<Region> allocate(std::size_t bytes) override {
    return std::make_unique<VerbsRegion>(device_, bytes);
  }
  std::unique_ptr<Channel> open(Region& region, const ChannelOptions& options) override {
    return std::make_unique<VerbsChannel>(device_, dynamic_cast<VerbsRegion&>(region), options);
  }

 private:
  std::shared_ptr<Device> device_;
};

std::map<std::string, std::string> VerbsNic::environment() const {
  const auto& d = *device_;
  const std::string sysfs = "/sys/class/infiniband/" + d.name;
  ibv_device_attr attributes{};
  std::map<std::string, std::string> facts{{"nic", d.name}};
  if (ibv_query_device(d.context.get(), &attributes) == 0)
    facts["nic.firmware"] = std::string{attributes.fw_ver};
  const auto numa = first_line(sysfs + "/device/numa_node");
  if (!numa.empty()) facts["nic.numa_node"] = numa;
  // Kernel transports such as Soft-RoCE have no device under them.
  facts["nic.software"] = std::filesystem::exists(sysfs + "/device") ? "no" : "yes";
  const auto rate = first_line(fmt::format("{}/ports/{}/rate", sysfs, d.port_number));
  if (!rate.empty()) facts["nic.link"] = rate;
  const auto board = first_line(sysfs + "/board_id");
  if (!board.empty()) facts["nic.board"] = board;
  facts["nic.link_layer"] =
      d.port.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand";
  facts["nic.mtu"] = std::to_string(128 << d.port.active_mtu);
  facts["nic.gid_index"] = std::to_string(d.gid_index);
  return facts;
}

/// Names that every driver uses for retransmissions, timeouts and refused packets.
bool means_trouble(const std::string& counter) {
  for (const auto* part : {"err", "retry", "retran", "timeout", "out_of_seq", "duplicate", "rnr"})
    if (counter.find(part) != counter.npos) return true;
  return false;
}

std::map<std::string, std::uint64_t> VerbsNic::error_counters() const {
  const std::filesystem::path folder{fmt::format("/sys/class/infiniband/{}/ports/{}/hw_counters",
                                                 device_->name, device_->port_number)};
  std::map<std::string, std::uint64_t> counters;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator{folder, none}) {
    const auto name = file.path().filename().string();
    if (!means_trouble(name)) continue;
    std::uint64_t value = 0;
    if (std::ifstream{file.path()} >> value) counters[name] = value;
  }
  return counters;
}

}  // namespace
}  // namespace verbs

std::unique_ptr<Nic> open_verbs(const VerbsOptions& options) {
  return std::make_unique<verbs::VerbsNic>(options);
}

}  // namespace qpcast::hw
