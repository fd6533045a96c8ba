/// Carries out a WQE that is well formed: checks keys, bounds and the peer, then writes.
#pragma once

#include "hw/nic/emulated/adapter.hpp"
#include "hw/nic/emulated/complete.hpp"
#include "hw/wqe/decode.hpp"

namespace qpcast::hw::emulated {

/// Why a WQE was refused: the vendor syndrome of its error completion. Below 0x20: wqe::Defect.
enum class Refusal : std::uint8_t {
  none = 0,
  announced = 0x20,        ///< more blocks announced than the queue has
  doorbell_number = 0x21,  ///< the doorbell names another queue pair
  local_key = 0x22,
  local_bounds = 0x23,
  remote_key = 0x24,
  remote_bounds = 0x25,
  remote_access = 0x26,
  remote_alignment = 0x27,  ///< an atomic's target is not 8 B aligned
  no_receiver = 0x28,       ///< an immediate for a queue pair that takes none
  not_connected = 0x29,
  peer_gone = 0x2a,
  access_key = 0x2b,  ///< of a DC target
  injected = 0x2c,    ///< a fault that was asked for
};

struct Outcome {
  wqe::Syndrome syndrome = wqe::Syndrome::none;
  Refusal refusal = Refusal::none;
};

namespace detail {

struct Target {
  Queue* queue = nullptr;
  Outcome outcome;
};

QPCAST_HOST_DEVICE inline Target find_target(const Adapter& adapter, const Queue& queue,
                                             const wqe::Decoded& wqe) {
  const std::uint32_t number = queue.memory.dc ? wqe.target.dct : queue.peer;
  if (number == 0) return {nullptr, {wqe::Syndrome::local_qp_operation, Refusal::not_connected}};
  Queue* const target = find_queue(adapter, number);
  if (!target || target->condition == Condition::error)
    return {nullptr, {wqe::Syndrome::retries_exceeded, Refusal::peer_gone}};
  if (queue.memory.dc && target->access_key != wqe.target.access_key)
    return {nullptr, {wqe::Syndrome::remote_access, Refusal::access_key}};
  return {target, {}};
}

QPCAST_HOST_DEVICE inline Outcome check_local(const Adapter& adapter, const wqe::Decoded& wqe) {
  if (wqe.source != wqe::Source::pointer) return {};
  const Registration* const region = find_registration(adapter, wqe.local.key);
  if (!region) return {wqe::Syndrome::local_protection, Refusal::local_key};
  if (!inside(*region, wqe.local.address, wqe.length))
    return {wqe::Syndrome::local_protection, Refusal::local_bounds};
  return {};
}

QPCAST_HOST_DEVICE inline Outcome check_remote(const Adapter& adapter, const wqe::Decoded& wqe) {
  if (wqe.length == 0) return {};  // nothing is written, so that the key is not looked at
  const Registration* const region = find_registration(adapter, wqe.remote.key);
  if (!region) return {wqe::Syndrome::remote_access, Refusal::remote_key};
  const bool atomic = wqe.opcode == wqe::Opcode::atomic_fetch_add;
  if (!(atomic ? region->remote_atomic : region->remote_write))
    return {wqe::Syndrome::remote_access, Refusal::remote_access};
  if (!inside(*region, wqe.remote.address, wqe.length))
    return {wqe::Syndrome::remote_access, Refusal::remote_bounds};
  if (atomic && wqe.remote.address % sizeof(std::uint64_t) != 0)
    return {wqe::Syndrome::remote_invalid_request, Refusal::remote_alignment};
  return {};
}

/// Inline data, copied word by word since its segments may wrap in the ring. Of an aligned target
/// whose length is whole 8 B words, a reader may poll for the last: the others are there before it.
QPCAST_HOST_DEVICE inline void write_inlined(const Queue& queue, const wqe::Decoded& wqe) {
  constexpr std::uint32_t pair = sizeof(std::uint64_t);
  auto* const to = memory_at<char>(wqe.remote.address);
  const auto word = [&](std::uint32_t at) {
    return wqe::inline_word(queue.send, queue.fetched, wqe, at / 4);
  };
  std::uint32_t at = 0;
  if (wqe.remote.address % pair == 0)
    for (; at + pair <= wqe.length; at += pair) {
      const std::uint64_t value = std::uint64_t{word(at + 4)} << 32 | word(at);
      auto* const target = reinterpret_cast<std::uint64_t*>(to + at);
      if (at > 0 && at + pair == wqe.length)
        store_release(target, value);
      else
        store_whole(target, value);
    }
  for (; at < wqe.length; at += sizeof(std::uint32_t)) {
    const std::uint32_t left = word(at);
    const std::uint32_t bytes = wqe.length - at < sizeof left ? wqe.length - at : sizeof left;
    memcpy(to + at, &left, bytes);
  }
}

QPCAST_HOST_DEVICE inline void write(const Queue& queue, const wqe::Decoded& wqe) {
  if (wqe.source == wqe::Source::inlined) {
    write_inlined(queue, wqe);
  } else if (wqe.source == wqe::Source::pointer) {
    copy_bytes(memory_at<void>(wqe.remote.address), memory_at<const void>(wqe.local.address),
               wqe.length);
  }
}

QPCAST_HOST_DEVICE inline void add(const wqe::Decoded& wqe) {
  const std::uint64_t old = add_atomically(memory_at<std::uint64_t>(wqe.remote.address), wqe.add);
  copy_bytes(memory_at<void>(wqe.local.address), &old, sizeof old);
}

}  // namespace detail

QPCAST_HOST_DEVICE inline Outcome perform(const Adapter& adapter, const Queue& queue,
                                          const wqe::Decoded& wqe) {
  if (wqe.opcode == wqe::Opcode::nop) return {};
  const auto target = detail::find_target(adapter, queue, wqe);
  if (!target.queue) return target.outcome;
  auto outcome = detail::check_local(adapter, wqe);
  if (outcome.syndrome == wqe::Syndrome::none) outcome = detail::check_remote(adapter, wqe);
  if (outcome.syndrome != wqe::Syndrome::none) return outcome;
  if (wqe.opcode == wqe::Opcode::atomic_fetch_add) {
    detail::add(wqe);
    return {};
  }
  const bool immediate = wqe.opcode == wqe::Opcode::rdma_write_immediate;
  if (immediate && !target.queue->receive_completions.memory.entries)
    return {wqe::Syndrome::receiver_not_ready, Refusal::no_receiver};
  detail::write(queue, wqe);
  if (immediate) deliver_immediate(*target.queue, wqe.immediate, wqe.length);
  return {};
}

}  // namespace qpcast::hw::emulated
