/// Builds WQEs in a send queue. Every function returns how many 64 B basic blocks it filled, which
/// is by how much the block index moves on.
///
/// A WQE is control, [address vector], remote address, then a data pointer, inline data or an
/// atomic. Each segment is one 16 B store: an 8 B inline write is three of them. What lies behind
/// the last segment of a block stays as it was; the segment count tells the NIC where to stop.
/// Nothing here orders or announces anything: see doorbell.hpp.
#pragma once

#include "hw/wqe/address_vector.hpp"
#include "hw/wqe/payload.hpp"

namespace qpcast::hw::wqe {

struct Remote {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
};

struct Local {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
};

QPCAST_HOST_DEVICE constexpr std::uint32_t inline_segments(std::uint32_t length) {
  return (static_cast<std::uint32_t>(sizeof(InlineHeader)) + length + segment_bytes - 1) /
         segment_bytes;
}

inline constexpr std::uint32_t most_inline_segments = inline_segments(largest_inline);

QPCAST_HOST_DEVICE inline ControlSegment control(const SendQueue& queue, std::uint32_t index,
                                                 Opcode opcode, std::uint8_t flags,
                                                 std::uint32_t segments,
                                                 std::uint32_t immediate = 0) {
  ControlSegment segment;
  segment.opmod_index_opcode = (index & 0xffff) << 8 | static_cast<std::uint32_t>(opcode);
  segment.qpn_ds = queue.qpn << 8 | segments;
  segment.flags = flags;
  segment.immediate = immediate;
  return segment;
}

QPCAST_HOST_DEVICE inline RemoteAddressSegment remote_address(const Remote& remote) {
  RemoteAddressSegment segment;
  segment.address = remote.address;
  segment.key = remote.key;
  segment.reserved = 0;
  return segment;
}

QPCAST_HOST_DEVICE inline DataPointerSegment data_pointer(const Local& local,
                                                          std::uint32_t length) {
  DataPointerSegment segment;
  segment.byte_count = length;
  segment.key = local.key;
  segment.address = local.address;
  return segment;
}

namespace detail {

template <class Vector>
QPCAST_HOST_DEVICE inline std::uint32_t pointer_write(const SendQueue& queue, std::uint32_t index,
                                                      const ControlSegment& first,
                                                      const Remote& remote, const Local& local,
                                                      std::uint32_t length, const Vector& vector) {
  constexpr std::uint32_t body = 1 + Vector::segments;
  store(queue.at(index, 0), first);
  vector.store_at(queue, index, 1);
  store(queue.at(index, body), remote_address(remote));
  if (length != 0) store(queue.at(index, body + 1), data_pointer(local, length));
  return blocks_of(body + (length != 0 ? 2 : 1));
}

/// Word `i` of an inline payload, 0 behind its end unless the payload has words there too.
template <class Payload>
QPCAST_HOST_DEVICE inline std::uint32_t payload_word(const Payload& payload, std::uint32_t i,
                                                     std::uint32_t length) {
  if constexpr (Payload::endless) return payload.word(i, 4);
  const std::uint32_t at = 4 * i;
  if (at >= length) return 0;
  return payload.word(i, length - at < 4 ? length - at : 4);
}

/// The first segment of the inline data: the header and up to three words.
template <class Payload>
QPCAST_HOST_DEVICE inline Segment first_inline_segment(const Payload& payload,
                                                       std::uint32_t length) {
  Segment segment;
  segment.word[0] = be32{inline_mark | length}.raw();
  for (std::uint32_t w = 1; w < 4; ++w) segment.word[w] = payload_word(payload, w - 1, length);
  return segment;
}

/// Segment `i` > 0 of the inline data.
template <class Payload>
QPCAST_HOST_DEVICE inline Segment inline_segment(const Payload& payload, std::uint32_t i,
                                                 std::uint32_t length) {
  Segment segment;
  for (std::uint32_t w = 0; w < 4; ++w)
    segment.word[w] = payload_word(payload, 4 * i + w - 1, length);
  return segment;
}

}  // namespace detail

/// RDMA write of `length` B that the NIC fetches from `local`.
template <class Vector = Connected>
QPCAST_HOST_DEVICE inline std::uint32_t write_pointer(const SendQueue& queue, std::uint32_t index,
                                                      std::uint8_t flags, const Remote& remote,
                                                      const Local& local, std::uint32_t length,
                                                      const Vector& vector = {}) {
  const std::uint32_t segments = 2 + Vector::segments + (length != 0 ? 1 : 0);
  return detail::pointer_write(queue, index,
                               control(queue, index, Opcode::rdma_write, flags, segments), remote,
                               local, length, vector);
}

/// The same, and the peer gets a completion that carries `immediate`.
template <class Vector = Connected>
QPCAST_HOST_DEVICE inline std::uint32_t write_with_immediate(
    const SendQueue& queue, std::uint32_t index, std::uint8_t flags, const Remote& remote,
    const Local& local, std::uint32_t length, std::uint32_t immediate, const Vector& vector = {}) {
  const std::uint32_t segments = 2 + Vector::segments + (length != 0 ? 1 : 0);
  return detail::pointer_write(
      queue, index, control(queue, index, Opcode::rdma_write_immediate, flags, segments, immediate),
      remote, local, length, vector);
}

/// RDMA write of 1 to 220 B that travel inside the WQE.
/// @param payload  RegisterPayload or MemoryPayload
template <class Payload, class Vector = Connected>
QPCAST_HOST_DEVICE inline std::uint32_t write_inline(const SendQueue& queue, std::uint32_t index,
                                                     std::uint8_t flags, const Remote& remote,
                                                     const Payload& payload, std::uint32_t length,
                                                     const Vector& vector = {}) {
  constexpr std::uint32_t body = 1 + Vector::segments;
  const std::uint32_t data = inline_segments(length);
  store(queue.at(index, 0), control(queue, index, Opcode::rdma_write, flags, body + 1 + data));
  vector.store_at(queue, index, 1);
  store(queue.at(index, body), remote_address(remote));
  store(queue.at(index, body + 1), detail::first_inline_segment(payload, length));
  // Straight code with an exit behind each segment: every offset is a constant.
  QPCAST_UNROLL_ON_GPU
  for (std::uint32_t i = 1; i < most_inline_segments; ++i) {
    if (i >= data) break;
    store(queue.at(index, body + 1 + i), detail::inline_segment(payload, i, length));
  }
  return blocks_of(body + 1 + data);
}

/// Adds `add` to the 8 B at `remote`; their old value goes to the 8 B at `result`.
template <class Vector = Connected>
QPCAST_HOST_DEVICE inline std::uint32_t fetch_add(const SendQueue& queue, std::uint32_t index,
                                                  std::uint8_t flags, const Remote& remote,
                                                  const Local& result, std::uint64_t add,
                                                  const Vector& vector = {}) {
  constexpr std::uint32_t body = 1 + Vector::segments;
  AtomicSegment atomic;
  atomic.swap_add = add;
  atomic.compare = 0;
  store(queue.at(index, 0), control(queue, index, Opcode::atomic_fetch_add, flags, body + 3));
  vector.store_at(queue, index, 1);
  store(queue.at(index, body), remote_address(remote));
  store(queue.at(index, body + 1), atomic);
  store(queue.at(index, body + 2), data_pointer(result, sizeof(std::uint64_t)));
  return blocks_of(body + 3);
}

/// Does nothing; signalled, it completes after everything before it.
QPCAST_HOST_DEVICE inline std::uint32_t nop(const SendQueue& queue, std::uint32_t index,
                                            std::uint8_t flags) {
  store(queue.at(index, 0), control(queue, index, Opcode::nop, flags, 1));
  return 1;
}

}  // namespace qpcast::hw::wqe
