#include "hw/nic/direct/direct_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "hw/nic/direct/registers.hpp"
#include "hw/wqe/doorbell.hpp"

namespace qpcast::hw::direct {

namespace {

/// Blocks that a channel's largest WQE takes.
std::uint32_t largest_wqe(const ChannelOptions& options) {
  const std::uint32_t body = options.largest_inline > 0
                                 ? 2 + wqe::inline_segments(options.largest_inline)
                                 : wqe::segments_per_block;
  return std::max(1U, wqe::blocks_of(body));
}

template <class Word>
void store_release(Word* to, Word value) {
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

}  // namespace

std::uint32_t ring_blocks(const std::string& device, const ChannelOptions& options) {
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

DirectQueue::DirectQueue(std::string device, const QueueMemory& memory, const Source& source,
                         const ChannelOptions& options, Describe describe)
    : device_{std::move(device)},
      memory_{memory},
      source_{source},
      options_{options},
      describe_{describe},
      queue_{wqe::make_send_queue(memory.send_queue, memory.blocks, memory.number)} {}

void DirectQueue::check(const WorkRequest& request) const {
  const auto bytes = source_.bytes.size();
  if (request.length > bytes || request.local > bytes - request.length)
    throw DeviceError{device_, "post", EINVAL, "the source lies outside the region"};
  if (request.inline_data && request.length > options_.largest_inline)
    throw DeviceError{device_, "post", EINVAL,
                      fmt::format("{} B inline on a queue pair for {} B", request.length,
                                  options_.largest_inline)};
}

template <class Vector>
std::uint32_t DirectQueue::encode_inline(const WorkRequest& request, std::uint8_t flags,
                                         const Vector& vector) {
  const wqe::Remote remote{peer_.region_address + request.remote, peer_.region_key};
  const auto* const source = source_.bytes.data() + request.local;
  alignas(8) std::byte aligned[wqe::largest_inline + 4];
  const bool copy = reinterpret_cast<std::uintptr_t>(source) % sizeof(std::uint32_t) != 0;
  if (copy) std::memcpy(aligned, source, request.length);
  return wqe::write_inline(queue_, next_block_, flags, remote,
                           wqe::MemoryPayload{copy ? aligned : source}, request.length, vector);
}

template <class Vector>
std::uint32_t DirectQueue::encode(const WorkRequest& request, const Vector& vector) {
  check(request);
  const std::uint8_t flags = request.signalled ? wqe::flag::signalled : wqe::flag::none;
  const wqe::Remote remote{peer_.region_address + request.remote, peer_.region_key};
  const wqe::Local local{reinterpret_cast<std::uintptr_t>(source_.bytes.data()) + request.local,
                         source_.key};
  if (request.operation == Operation::fetch_add)
    return wqe::fetch_add(queue_, next_block_, flags, remote, local, 1, vector);
  if (request.inline_data && request.length > 0) return encode_inline(request, flags, vector);
  return wqe::write_pointer(queue_, next_block_, flags, remote, local, request.length, vector);
}

void DirectQueue::post(std::span<const WorkRequest> chain) {
  if (chain.empty()) return;
  if (!has_room(chain.size()))
    throw DeviceError{device_, fmt::format("queue pair {:#x}", queue_.qpn), ENOMEM,
                      fmt::format("the send queue is full: {} outstanding, {} more on a depth of "
                                  "{}",
                                  posted_ - finished_, chain.size(), options_.depth)};
  for (const auto& request : chain) {
    const auto blocks = dc_ ? encode(request, vector_) : encode(request, wqe::Connected{});
    ++posted_;
    if (request.signalled) signalled_.push_back({next_block_, posted_, request.id});
    next_block_ += blocks;
  }
  announce();
}

void DirectQueue::announce() {
  // Each store comes after what precedes it: WQEs and payload, then the record, then the doorbell.
  device_barrier();
  store_release(&memory_.record[wqe::send_record], wqe::send_record_value(next_block_));
  store_register(memory_.doorbell, wqe::doorbell_value(next_block_, queue_.qpn));
}

bool DirectQueue::next_completion() {
  const std::uint32_t mask = (1U << memory_.log_entries) - 1;
  const auto& entry = memory_.entries[consumed_ & mask];
  const auto* const raw = reinterpret_cast<const std::uint64_t*>(
      reinterpret_cast<const char*>(&entry) + wqe::tail_offset);
  const auto tail = wqe::read_tail(__atomic_load_n(raw, __ATOMIC_ACQUIRE));
  if (!wqe::is_new(tail, consumed_, memory_.log_entries)) return false;
  if (tail.kind != wqe::CompletionKind::requester) fail(entry);
  ++consumed_;
  store_release(&memory_.consumer_record[wqe::consumer_record],
                wqe::consumer_record_value(consumed_));
  // The count of blocks, near those outstanding, whose low 16 bits the entry has.
  const auto behind = static_cast<std::uint16_t>(next_block_ - tail.wqe_counter);
  retired_block_ = next_block_ - behind;
  retired_ = true;
  return true;
}

void DirectQueue::fail(const wqe::CompletionEntry& entry) const {
  const auto detail = wqe::error_detail(entry);
  throw TransportError{device_, fmt::format("queue pair {:#x}", queue_.qpn), 0,
                       describe_(detail.syndrome, detail.vendor)};
}

std::size_t DirectQueue::poll(std::span<Completed> completions) {
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
  return got;
}

}  // namespace qpcast::hw::direct
