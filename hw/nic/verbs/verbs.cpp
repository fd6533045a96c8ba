#include "hw/nic/verbs/verbs.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "hw/nic/verbs/channel.hpp"
#include "hw/nic/verbs/device_facts.hpp"
#include "hw/nic/verbs/errors.hpp"

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
    never_wait_for_events(*d.context, d.name);
  }

  std::string kind() const override { return "verbs"; }
  std::string name() const override { return device_->name; }
  std::map<std::string, std::string> environment() const override {
    return facts_of(*device_->context, device_->name, device_->port, device_->port_number,
                    device_->gid_index);
  }
  std::map<std::string, std::uint64_t> error_counters() const override {
    return verbs::error_counters(device_->name, device_->port_number);
  }
  void check_present() override { check_events(*device_->context, device_->name); }
  std::unique_ptr<Region> allocate(std::size_t bytes) override {
    return std::make_unique<VerbsRegion>(device_, bytes);
  }
  std::unique_ptr<Channel> open(Region& region, const ChannelOptions& options) override {
    return std::make_unique<VerbsChannel>(device_, dynamic_cast<VerbsRegion&>(region), options);
  }

 private:
  std::shared_ptr<Device> device_;
};

}  // namespace
}  // namespace verbs

std::unique_ptr<Nic> open_verbs(const VerbsOptions& options) {
  return std::make_unique<verbs::VerbsNic>(options);
}

}  // namespace qpcast::hw
