#include "hw/gda/gpu_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "hw/gda/queue_pair.hpp"
#include "hw/wqe/encode.hpp"
#include "model/error.hpp"

namespace qpcast::hw {

namespace {

constexpr std::uint32_t lanes = 32;
constexpr std::uint32_t most_per_block = 1024;
/// A completion's index has 16 bits: what lies between it and any index asked for stays below half.
constexpr std::uint32_t index_reach = 32768;
constexpr std::uint32_t deepest = 8192;

[[noreturn]] void refuse(std::string_view key, const std::string& why) {
  throw InputError{"layout", std::string{key}, why};
}

std::uint32_t count(const Layout& layout, Key key, std::uint32_t fallback, std::uint32_t most) {
  const double value = layout.number(key, fallback);
  if (value > most) refuse(field(key).name, fmt::format("{}: mini-gda goes up to {}", value, most));
  return static_cast<std::uint32_t>(value);
}

bool warp_wide(Publication p) {
  return p == Publication::warp_cooperative || p == Publication::warp_synchronised ||
         p == Publication::warp_drifting;
}

Publication publication_of(const Layout& layout, const GpuLayout& g) {
  const auto fallback = g.threads > g.qps ? Publication::thread_handoff : Publication::exclusive;
  const auto chosen = layout.choice(Key::publication, fallback);
  if (chosen == Publication::exclusive && g.threads > g.qps)
    refuse("publication", fmt::format("exclusive needs a queue pair per thread; {} threads, {} qps",
                                      g.threads, g.qps));
  if (warp_wide(chosen) && g.threads % lanes != 0)
    refuse("threads", fmt::format("{}: warps publish together, so a multiple of 32", g.threads));
  return chosen;
}

std::uint32_t segments_of(const GpuLayout& g) {
  const std::uint32_t head = 2 + (g.dc ? 1 : 0);
  return head + (g.inlined ? wqe::inline_segments(g.payload) : 1);
}

/// Blocks that may be outstanding beyond the ring: reserved by threads that wait for room.
std::uint32_t waiting_blocks(const GpuLayout& g) {
  if (g.publication == Publication::exclusive) return 0;
  const std::uint32_t each =
      g.publication == Publication::warp_cooperative ? std::max(1U, g.batch / lanes) : 1;
  return (g.threads + g.qps - 1) / g.qps * each * g.blocks;
}

std::uint32_t depth_of(const GpuLayout& g) {
  const std::uint32_t together =
      g.publication == Publication::warp_cooperative ? std::max(lanes, g.batch) : g.batch;
  const std::uint32_t least = 2 * together * g.blocks;
  constexpr std::uint32_t total_blocks = 2U << 20;  // 128 MiB of send queues
  const std::uint32_t fair = std::bit_floor(std::max(1U, total_blocks / g.qps));
  const auto depth = std::max(std::bit_ceil(least), std::min(4096U, fair));
  if (depth > deepest || depth + waiting_blocks(g) >= index_reach)
    refuse("batch", fmt::format("{} blocks of WQEs outstanding per queue pair; a completion's "
                                "16-bit index tells {} apart",
                                depth + waiting_blocks(g), index_reach));
  return depth;
}

void place_threads(GpuLayout& g) {
  const std::uint32_t width = g.publication == Publication::thread_handoff ? lanes : 1;
  const std::uint32_t lanes_in_all = g.threads * width;
  g.sms = std::min(g.sms, g.threads);
  const std::uint32_t per_sm = (lanes_in_all + g.sms - 1) / g.sms;
  const std::uint32_t blocks_per_sm = (per_sm + most_per_block - 1) / most_per_block;
  if (blocks_per_sm > 2)  // 2,048 resident threads per SM: threads that wait must all be resident
    refuse("sms", fmt::format("{} threads on {} SMs are not resident together", g.threads, g.sms));
  g.grid_blocks = g.sms * blocks_per_sm;
  g.per_block = (lanes_in_all + g.grid_blocks - 1) / g.grid_blocks;
  if (width == lanes || warp_wide(g.publication))
    g.per_block = (g.per_block + lanes - 1) / lanes * lanes;
}

}  // namespace

GpuLayout gpu_layout(const Layout& layout) {
  GpuLayout g;
  g.qps = count(layout, Key::qps, 1, most_gpu_qps);
  g.threads = count(layout, Key::threads, g.qps, most_gpu_threads);
  g.sms = count(layout, Key::sms, 1, 1024);
  g.batch = count(layout, Key::batch, 1, most_gpu_batch);
  g.payload = count(layout, Key::payload, 8, 1U << 20);
  g.inlined = layout.number(Key::inline_data, g.payload <= 32 ? 1 : 0) != 0;
  if (g.inlined && g.payload > wqe::largest_inline)
    refuse("payload", fmt::format("{} B inline; up to {}", g.payload, wqe::largest_inline));
  g.assisted = layout.choice(Key::submitter, Submitter::gpu) == Submitter::cpu_assisted;
  g.dc = layout.choice(Key::transport, Transport::rc) == Transport::dc;
  g.ordering = layout.choice(Key::ordering, Ordering::gpu);
  g.queue_memory = layout.choice(Key::queue_memory, Memory::gpu);
  g.publication = publication_of(layout, g);
  if (g.dc && g.publication != Publication::exclusive)
    refuse("publication", "mini-gda sends over DC with exclusive queue pairs only");
  if (g.publication == Publication::exclusive && g.qps > g.threads * most_owned_qps)
    refuse("qps", fmt::format("{} for {} threads; a thread owns up to {}", g.qps, g.threads,
                              most_owned_qps));
  const auto scope = layout.choice(Key::completion, Completion::per_qp);
  g.configured = scope == Completion::per_qp ? 1 : g.qps;
  g.blocks = wqe::blocks_of(segments_of(g));
  g.depth = depth_of(g);
  place_threads(g);
  return g;
}

void check_limits(const GpuLayout& g, const GpuLimits& limits) {
  if (g.publication != Publication::exclusive) return;
  const auto needed = gda::shared_bytes(g.qps, g.threads, g.per_block);
  if (needed > limits.shared_per_block)
    refuse("qps",
           fmt::format("{} over {} threads on {} SMs keep {} B of queue pairs in a block's shared "
                       "memory; this GPU has {} B: give as many threads as qps, or more sms",
                       g.qps, g.threads, g.sms, needed, limits.shared_per_block));
}

}  // namespace qpcast::hw
