// Compiles every encoder for the GPU, so that a host-only change cannot break the device path.
#include "hw/wqe/completion.hpp"
#include "hw/wqe/decode.hpp"
#include "hw/wqe/doorbell.hpp"
#include "hw/wqe/encode.hpp"

namespace qpcast::hw::wqe {

__global__ void build_each(SendQueue queue, Remote remote, Local local, std::uint32_t length,
                           FullVector full, std::uint64_t* doorbell) {
  std::uint32_t next = threadIdx.x;
  next += write_inline(queue, next, flag::signalled, remote, RegisterPayload{next}, 8);
  next += write_inline(queue, next, flag::none, remote,
                       MemoryPayload{reinterpret_cast<const void*>(local.address)}, length);
  next += write_pointer(queue, next, flag::none, remote, local, length);
  next += write_pointer(queue, next, flag::none, remote, local, length, full.target);
  next += write_with_immediate(queue, next, flag::none, remote, local, length, next, full);
  next += fetch_add(queue, next, flag::fence, remote, local, 1);
  next += nop(queue, next, flag::signalled);
  Decoded wqe;
  if (decode(queue, threadIdx.x, false, wqe) == Defect::none)
    *doorbell = doorbell_value(next, queue.qpn);
}

/// One 8 B inline write: what the compiler makes of it is three 16 B stores.
__global__ void build_one(SendQueue queue, Remote remote, std::uint64_t value) {
  write_inline(queue, threadIdx.x, flag::signalled, remote, RegisterPayload{value}, 8);
}

}  // namespace qpcast::hw::wqe
