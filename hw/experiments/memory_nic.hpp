/// A NIC for tests: every channel copies within this process, and fails on demand.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hw/proxy/memory_channel.hpp"

namespace qpcast::hw {

class MemoryRegion final : public Region {
 public:
  explicit MemoryRegion(std::size_t bytes) : words_((bytes + 7) / 8), size_{bytes} {}
  std::span<std::byte> bytes() override {
    return std::as_writable_bytes(std::span{words_}).first(size_);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

class MemoryNic final : public Nic {
 public:
  std::string kind() const override { return "emulated"; }
  std::string name() const override { return "memory"; }
  std::map<std::string, std::string> environment() const override { return {{"nic", "memory"}}; }
  std::unique_ptr<Region> allocate(std::size_t bytes) override {
    return std::make_unique<MemoryRegion>(bytes);
  }
  std::unique_ptr<Channel> open(Region& region, const ChannelOptions& options) override {
    if (refuse_inline && options.largest_inline > 0)
      throw DeviceError{name(), "open", EINVAL, "no inline data"};
    auto channel =
        std::make_unique<MemoryChannel>(region.bytes(), std::span<std::byte>{}, options.depth);
    if (on_open) on_open(*channel);
    return channel;
  }

  std::map<std::string, std::uint64_t> error_counters() const override {
    if (on_count) on_count();
    return errors;
  }

  void check_present() override {
    if (gone) throw DeviceError{name(), "check", ENODEV, "the device was removed"};
  }

  bool refuse_inline = false;
  bool gone = false;
  std::map<std::string, std::uint64_t> errors;
  std::function<void()> on_count;  ///< before each reading of the counters
  std::function<void(MemoryChannel&)> on_open;
};

}  // namespace qpcast::hw
