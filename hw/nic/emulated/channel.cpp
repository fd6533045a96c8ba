#include "hw/nic/emulated/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include "hw/nic/emulated/errors.hpp"
#include "hw/wqe/doorbell.hpp"

namespace qpcast::hw::emulated {

namespace {

constexpr const char* device = "emulated";
constexpr std::uint32_t polls_between_event_checks = 64;

/// Blocks that a channel's largest WQE takes.
std::uint32_t largest_wqe(const ChannelOptions& options) {
  const std::uint32_t body = options.largest_inline > 0
                                 ? 2 + wqe::inline_segments(options.largest_inline)
                                 : wqe::segments_per_block;
  return std::max(1U, wqe::blocks_of(body));
}

std::uint32_t ring_blocks(const ChannelOptions& options) {
  if (options.largest_inline > wqe::largest_inline)
    throw DeviceError{device, "open", EINVAL,
                      fmt::format("{} B inline: a WQE holds {} B at most", options.largest_inline,
                                  wqe::largest_inline)};
  const auto blocks = std::bit_ceil(std::uint64_t{options.depth} * largest_wqe(options));
  if (options.depth == 0 || blocks > wqe::deepest_queue)
    throw DeviceError{device, "open", EINVAL,
                      fmt::format("depth {}: the send queue has {} blocks at most", options.depth,
                                  wqe::deepest_queue)};
  return static_cast<std::uint32_t>(blocks);
}

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
      options_{options},
      blocks_(ring_blocks(options)),
      entries_{unwritten(std::bit_ceil(options.depth + 1))},  // one more for a late error
      log_entries_{static_cast<std::uint32_t>(std::countr_zero(entries_.size()))} {
  QueueMemory memory;
  memory.send_queue = blocks_.data();
  memory.depth = static_cast<std::uint32_t>(blocks_.size());
  memory.record = record_;
  memory.doorbell = &doorbell_;
  memory.completions = {entries_.data(), log_entries_, false, consumer_record_};
  queue_ = wqe::make_send_queue(blocks_.data(), memory.depth, server_->attach(memory));
}

EmulatedChannel::~EmulatedChannel() { server_->detach(queue_.qpn); }

Address EmulatedChannel::address() const {
  Address address;
  address.qp_number = queue_.qpn;
  address.mtu_code = 5;
  address.region_address = reinterpret_cast<std::uintptr_t>(region_.bytes().data());
  address.region_bytes = region_.bytes().size();
  address.region_key = region_.key();
  return address;
}

void EmulatedChannel::connect(const Address& peer) {
  peer_ = peer;
  server_->connect(queue_.qpn, peer.qp_number);
}

void EmulatedChannel::check(const WorkRequest& request) const {
  const auto bytes = region_.bytes().size();
  if (request.length > bytes || request.local > bytes - request.length)
    throw DeviceError{device, "post", EINVAL, "the source lies outside the region"};
  if (request.inline_data && request.length > options_.largest_inline)
    throw DeviceError{device, "post", EINVAL,
                      fmt::format("{} B inline on a queue pair for {} B", request.length,
                                  options_.largest_inline)};
}

std::uint32_t EmulatedChannel::encode_inline(const WorkRequest& request, std::uint8_t flags) {
  const wqe::Remote remote{peer_.region_address + request.remote, peer_.region_key};
  const auto* const source = region_.bytes().data() + request.local;
  alignas(8) std::byte aligned[wqe::largest_inline + 4];
  const bool copy = reinterpret_cast<std::uintptr_t>(source) % sizeof(std::uint32_t) != 0;
  if (copy) std::memcpy(aligned, source, request.length);
  return wqe::write_inline(queue_, next_block_, flags, remote,
                           wqe::MemoryPayload{copy ? aligned : source}, request.length);
}

std::uint32_t EmulatedChannel::encode(const WorkRequest& request) {
  check(request);
  const std::uint8_t flags = request.signalled ? wqe::flag::signalled : wqe::flag::none;
  const wqe::Remote remote{peer_.region_address + request.remote, peer_.region_key};
  const wqe::Local local{reinterpret_cast<std::uintptr_t>(region_.bytes().data()) + request.local,
                         region_.key()};
  if (request.operation == Operation::fetch_add)
    return wqe::fetch_add(queue_, next_block_, flags, remote, local, 1);
  if (request.inline_data && request.length > 0) return encode_inline(request, flags);
  return wqe::write_pointer(queue_, next_block_, flags, remote, local, request.length);
}

void EmulatedChannel::post(std::span<const WorkRequest> chain) {
  if (chain.empty()) return;
  if (posted_ - finished_ + chain.size() > options_.depth) {
    check_event();
    throw DeviceError{device, fmt::format("queue pair {:#x}", queue_.qpn), ENOMEM,
                      fmt::format("the send queue is full: {} outstanding, {} more on a depth of "
                                  "{}",
                                  posted_ - finished_, chain.size(), options_.depth)};
  }
  for (const auto& request : chain) {
    const auto blocks = encode(request);
    ++posted_;
    if (request.signalled) signalled_.push_back({next_block_, posted_, request.id});
    next_block_ += blocks;
  }
  announce();
}

void EmulatedChannel::announce() {
  // Each store releases what precedes it: WQEs and payload, then the record, then the doorbell.
  store_release(&record_[wqe::send_record], wqe::send_record_value(next_block_));
  store_release(&doorbell_, wqe::doorbell_value(next_block_, queue_.qpn));
}

/// Takes one completion entry. @return there was one
bool EmulatedChannel::next_completion() {
  const auto& entry = entries_[consumed_ & (entries_.size() - 1)];
  const auto* const raw = reinterpret_cast<const std::uint64_t*>(
      reinterpret_cast<const char*>(&entry) + wqe::tail_offset);
  const auto tail = wqe::read_tail(load_acquire(raw));
  if (!wqe::is_new(tail, consumed_, log_entries_)) return false;
  if (tail.kind != wqe::CompletionKind::requester) fail(entry);
  ++consumed_;
  store_release(&consumer_record_[wqe::consumer_record], wqe::consumer_record_value(consumed_));
  // The count of blocks, near those outstanding, whose low 16 bits the entry has.
  const auto behind = static_cast<std::uint16_t>(next_block_ - tail.wqe_counter);
  retired_block_ = next_block_ - behind;
  retired_ = true;
  return true;
}

void EmulatedChannel::fail(const wqe::CompletionEntry& entry) {
  const auto detail = wqe::error_detail(entry);
  throw DeviceError{device, fmt::format("queue pair {:#x}", queue_.qpn), 0,
                    describe(detail.syndrome, detail.vendor)};
}

void EmulatedChannel::check_event() {
  const auto event = server_->event(queue_.qpn);
  if (event == Event::none) return;
  while (event == Event::queue_error && next_completion()) {
    // An error completion says more than the event, and is thrown.
  }
  throw DeviceError{device, fmt::format("queue pair {:#x}", queue_.qpn),
                    event == Event::device_removed ? ENODEV : 0, describe(event)};
}

std::size_t EmulatedChannel::poll(std::span<Completed> completions) {
  std::size_t got = 0;
  while (got < completions.size()) {
    // One entry may retire several signalled requests: in sink mode it is the newest block's.
    const bool due = retired_ && !signalled_.empty() &&
                     static_cast<std::int32_t>(retired_block_ - signalled_.front().block) >= 0;
    if (due) {
      completions[got++].id = signalled_.front().id;
      finished_ = signalled_.front().requests;
      signalled_.pop_front();
    } else if (!next_completion()) {
      break;
    }
  }
  if (got > 0)
    idle_polls_ = 0;
  else if (++idle_polls_ % polls_between_event_checks == 0)
    check_event();
  return got;
}

}  // namespace qpcast::hw::emulated
