#include "hw/nic/emulated/emulated.hpp"

#include <cerrno>

#include "hw/nic/emulated/channel.hpp"
#include "hw/nic/emulated/errors.hpp"

namespace qpcast::hw {

using emulated::Mode;

EmulatedNic::EmulatedNic(const emulated::Imposed& imposed)
    : imposed_{imposed}, server_{std::make_shared<emulated::Server>(imposed)} {}

std::string EmulatedNic::name() const {
  auto lasting = imposed_;
  lasting.fault = emulated::Fault::none;
  const auto imposed = emulated::describe(lasting);
  return imposed.empty() ? "mlx5-format" : "mlx5-format " + imposed;
}

std::map<std::string, std::string> EmulatedNic::environment() const {
  std::map<std::string, std::string> facts{
      {"nic", name()},
      {"nic.mode", imposed_.mode == Mode::execute
                       ? "execute: reads, checks and performs every WQE"
                       : "sink: retires by doorbell index; no WQE is read, no payload written"}};
  const auto imposed = emulated::describe(imposed_);
  if (!imposed.empty()) facts["nic.imposed"] = imposed;
  return facts;
}

std::map<std::string, std::uint64_t> EmulatedNic::error_counters() const {
  const auto counters = server_->counters();
  return {{"wqe_errors", counters.errors},
          {"flushed", counters.flushed},
          {"completion_overruns", counters.overruns},
          {"record_behind", counters.record_behind}};
}

void EmulatedNic::check_present() {
  if (server_->removed())
    throw DeviceError{"emulated", "check", ENODEV, describe(emulated::Event::device_removed)};
}

std::unique_ptr<Region> EmulatedNic::allocate(std::size_t bytes) {
  return std::make_unique<emulated::EmulatedRegion>(server_, bytes);
}

std::unique_ptr<Channel> EmulatedNic::open(Region& region, const ChannelOptions& options) {
  return std::make_unique<emulated::EmulatedChannel>(
      server_, dynamic_cast<emulated::EmulatedRegion&>(region), options);
}

}  // namespace qpcast::hw
