/// Reads a WQE back. Only the emulated NIC and the tests do; a real adapter does it in hardware.
#pragma once

#include "hw/wqe/encode.hpp"

namespace qpcast::hw::wqe {

/// What is wrong with a WQE's form. The emulated NIC reports it as the vendor syndrome.
enum class Defect : std::uint8_t {
  none = 0,
  opcode = 1,
  index = 2,           ///< not the index of the block it lies in
  queue_number = 3,    ///< another queue pair's
  segment_count = 4,   ///< does not fit the opcode, or not the queue
  inline_length = 5,   ///< 0, over 220 B, or not what the segment count says
  address_vector = 6,  ///< the extended mark contradicts the segment count
  atomic_operand = 7,  ///< the result is not 8 B long, or not in one data segment
  reserved = 8,        ///< bits that must be 0
};

enum class Source : std::uint8_t { none, pointer, inlined };

struct Decoded {
  Opcode opcode = Opcode::nop;
  std::uint8_t flags = 0;
  std::uint32_t segments = 0;
  std::uint32_t immediate = 0;
  CompactVector target;  ///< DC only
  bool extended = false;
  Remote remote;
  Source source = Source::none;
  Local local;
  std::uint32_t length = 0;
  std::uint32_t payload_segment = 0;  ///< of inline data: the segment with the header
  std::uint64_t add = 0;
};

namespace detail {

QPCAST_HOST_DEVICE inline bool known(std::uint32_t opcode) {
  switch (static_cast<Opcode>(opcode)) {
    case Opcode::nop:
    case Opcode::rdma_write:
    case Opcode::rdma_write_immediate:
    case Opcode::atomic_fetch_add:
      return true;
  }
  return false;
}

QPCAST_HOST_DEVICE inline Defect read_control(const SendQueue& queue, std::uint32_t index,
                                              Decoded& out) {
  const auto control = load<ControlSegment>(queue.at(index, 0));
  const std::uint32_t first = control.opmod_index_opcode;
  const std::uint32_t second = control.qpn_ds;
  const std::uint32_t flags = control.flags;
  out.segments = second & 0xff;
  out.flags = static_cast<std::uint8_t>(flags & 0xff);
  out.immediate = control.immediate;
  out.opcode = static_cast<Opcode>(first & 0xff);
  if ((first >> 8 & 0xffff) != (index & 0xffff)) return Defect::index;
  if (second >> 8 != queue.qpn) return Defect::queue_number;
  if (!known(first & 0xff)) return Defect::opcode;
  if (first >> 24 != 0) return Defect::reserved;
  if (out.segments == 0 || out.segments > most_segments || blocks_of(out.segments) > queue.depth())
    return Defect::segment_count;
  return Defect::none;
}

/// @return the segment behind the address vector, 0 when there is something wrong with it
QPCAST_HOST_DEVICE inline std::uint32_t read_vector(const SendQueue& queue, std::uint32_t index,
                                                    Decoded& out) {
  const auto vector = load<AddressVectorSegment>(queue.at(index, 1));
  const std::uint32_t extended_dct = vector.extended_dct;
  out.target.access_key = vector.access_key;
  out.target.dct = extended_dct & number_mask;
  out.target.rate_sl = vector.rate_sl;
  out.target.source_path = vector.source_path;
  out.target.remote_lid = vector.remote_lid;
  out.extended = (extended_dct & extended_mark) != 0;
  if ((extended_dct & ~(extended_mark | number_mask)) != 0) return 0;
  return out.extended ? 4 : 2;
}

QPCAST_HOST_DEVICE inline Defect read_inline(std::uint32_t header, std::uint32_t at, Decoded& out) {
  out.source = Source::inlined;
  out.length = header & ~inline_mark;
  out.payload_segment = at;
  if (out.length == 0 || out.length > largest_inline) return Defect::inline_length;
  return out.segments == at + inline_segments(out.length) ? Defect::none : Defect::inline_length;
}

QPCAST_HOST_DEVICE inline Defect read_data(const SendQueue& queue, std::uint32_t index,
                                           std::uint32_t at, Decoded& out) {
  if (out.segments == at) return Defect::none;  // an empty message
  const auto data = load<DataPointerSegment>(queue.at(index, at));
  const std::uint32_t count = data.byte_count;
  if ((count & inline_mark) != 0) return read_inline(count, at, out);
  out.source = Source::pointer;
  out.length = count == 0 ? inline_mark : count;  // 0 means 2 GiB
  out.local = {data.address, data.key};
  return out.segments == at + 1 ? Defect::none : Defect::segment_count;
}

QPCAST_HOST_DEVICE inline Defect read_atomic(const SendQueue& queue, std::uint32_t index,
                                             std::uint32_t at, Decoded& out) {
  if (out.segments != at + 2) return Defect::segment_count;
  out.add = load<AtomicSegment>(queue.at(index, at)).swap_add;
  const auto result = load<DataPointerSegment>(queue.at(index, at + 1));
  out.source = Source::pointer;
  out.length = result.byte_count;
  out.local = {result.address, result.key};
  return out.length == sizeof(std::uint64_t) ? Defect::none : Defect::atomic_operand;
}

}  // namespace detail

/// Reads the WQE in block `index`.
/// @param dc  the queue pair is a DC initiator, so that an address vector follows the control
QPCAST_HOST_DEVICE inline Defect decode(const SendQueue& queue, std::uint32_t index, bool dc,
                                        Decoded& out) {
  const Defect defect = detail::read_control(queue, index, out);
  if (defect != Defect::none) return defect;
  if (out.opcode == Opcode::nop) return Defect::none;
  std::uint32_t at = 1;
  if (dc) {
    if (out.segments < 3) return Defect::segment_count;
    at = detail::read_vector(queue, index, out);
    if (at == 0) return Defect::address_vector;
  }
  if (out.segments <= at)
    return dc && out.extended ? Defect::address_vector : Defect::segment_count;
  const auto remote = load<RemoteAddressSegment>(queue.at(index, at));
  out.remote = {remote.address, remote.key};
  if (remote.reserved.raw() != 0) return Defect::reserved;
  return out.opcode == Opcode::atomic_fetch_add ? detail::read_atomic(queue, index, at + 1, out)
                                                : detail::read_data(queue, index, at + 1, out);
}

/// Word `i` of the inline payload of a WQE that was decoded, as it lies in memory.
QPCAST_HOST_DEVICE inline std::uint32_t inline_word(const SendQueue& queue, std::uint32_t index,
                                                    const Decoded& wqe, std::uint32_t i) {
  const std::uint32_t at = i + 1;  // behind the header
  return queue.at(index, wqe.payload_segment + at / 4)->word[at % 4];
}

}  // namespace qpcast::hw::wqe
