#include "hw/nic/emulated/channel.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>

#include "hw/nic/emulated/errors.hpp"

namespace qpcast::hw::emulated {

namespace {

constexpr const char* device = "emulated";
constexpr std::uint32_t polls_between_event_checks = 64;

std::vector<wqe::CompletionEntry> unwritten(std::uint32_t entries) {
  wqe::CompletionEntry entry{};
  entry.kind_owner = wqe::unwritten_entry;
  std::vector<wqe::CompletionEntry> all(entries, entry);
  return all;
}

}  // namespace

EmulatedRegion::EmulatedRegion(std::shared_ptr<Server> server, std::size_t bytes)
    : server_{std::move(server)},
      words_((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)),
      size_{bytes},
      key_{server_->register_memory(words_.data(), bytes)} {}

EmulatedRegion::~EmulatedRegion() { server_->deregister(key_); }

EmulatedChannel::EmulatedChannel(std::shared_ptr<Server> server, EmulatedRegion& region,
                                 const ChannelOptions& options)
    : server_{std::move(server)},
      region_{region},
      blocks_(direct::ring_blocks(device, options)),
      entries_{unwritten(std::bit_ceil(options.depth + 1))},  // one more for a late error
      queue_{attach(options)} {}

EmulatedChannel::~EmulatedChannel() { server_->detach(queue_.number()); }

direct::DirectQueue EmulatedChannel::attach(const ChannelOptions& options) {
  const auto log_entries = static_cast<std::uint32_t>(std::countr_zero(entries_.size()));
  QueueMemory memory;
  memory.send_queue = blocks_.data();
  memory.depth = static_cast<std::uint32_t>(blocks_.size());
  memory.record = shared_.record;
  memory.doorbell = &shared_.doorbell;
  memory.completions = {entries_.data(), log_entries, false, shared_.consumer_record};
  const auto number = server_->attach(memory);
  return {device,
          {blocks_.data(), memory.depth, entries_.data(), log_entries, shared_.record,
           shared_.consumer_record, &shared_.doorbell, number},
          {region_.bytes(), region_.key()},
          options,
          describe};
}

Address EmulatedChannel::address() const {
  Address address;
  address.qp_number = queue_.number();
  address.mtu_code = 5;
  address.region_address = reinterpret_cast<std::uintptr_t>(region_.bytes().data());
  address.region_bytes = region_.bytes().size();
  address.region_key = region_.key();
  return address;
}

void EmulatedChannel::connect(const Address& peer) {
  queue_.connect(peer);
  server_->connect(queue_.number(), peer.qp_number);
}

void EmulatedChannel::post(std::span<const WorkRequest> chain) {
  if (!queue_.has_room(chain.size())) check_event();
  queue_.post(chain);
}

void EmulatedChannel::check_event() {
  const auto event = server_->event(queue_.number());
  if (event == Event::none) return;
  while (event == Event::queue_error && queue_.next_completion()) {
    // An error completion says more than the event, and is thrown.
  }
  const auto what = fmt::format("queue pair {:#x}", queue_.number());
  if (event == Event::device_removed) throw DeviceError{device, what, ENODEV, describe(event)};
  throw TransportError{device, what, 0, describe(event)};
}

std::size_t EmulatedChannel::poll(std::span<Completed> completions) {
  const auto got = queue_.poll(completions);
  if (got > 0)
    idle_polls_ = 0;
  else if (++idle_polls_ % polls_between_event_checks == 0)
    check_event();
  return got;
}

}  // namespace qpcast::hw::emulated
