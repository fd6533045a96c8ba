#include "hw/gda/session.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "hw/nic/direct/registers.hpp"
#include "hw/wqe/completion.hpp"

namespace qpcast::hw::gda {

namespace {

constexpr std::size_t line = 64;  ///< B; doorbells, records and entries do not share one
constexpr std::uint64_t dc_access_key = 0x51504341;

/// The payload that message `m` leaves at its slot.
void write_pattern(std::uint64_t m, std::uint32_t length, std::byte* to) {
  for (std::uint32_t at = 0; at < length; at += 4) {
    const auto word = pattern_word(m, at / 4);
    std::memcpy(to + at, &word, std::min(4U, length - at));
  }
}

}  // namespace

Session::Buffer Session::allocate(std::size_t bytes, bool on_gpu) {
  Buffer buffer;
  // An allocation of this size has pages of its own, which an adapter can register.
  constexpr std::size_t granule = 2U << 20;
  if (on_gpu)
    buffer.gpu = GpuMemory{(bytes + granule - 1) / granule * granule};
  else
    buffer.host = PinnedMemory{bytes};
  return buffer;
}

void Session::clear(Buffer& buffer, int byte) {
  if (buffer.gpu.data())
    buffer.gpu.fill(byte);
  else if (buffer.host.data())
    std::memset(buffer.host.data(), byte, buffer.host.bytes());
}

Session::Session(const GpuLayout& layout, std::unique_ptr<QueueServer> server)
    : layout_{layout}, server_{std::move(server)}, count_{(layout.qps + 1) / 2 * 2} {
  if (!server_->brings_queues()) allocate_queues();
  relays_ = PinnedMemory{count_ * line};
  shared_ = GpuMemory{count_ * sizeof(SharedState)};
  device_qps_ = GpuMemory{count_ * sizeof(QueuePair)};
}

void Session::allocate_queues() {
  const bool on_gpu = layout_.queue_memory == Memory::gpu;
  send_queues_ = allocate(std::size_t{count_} * layout_.depth * wqe::block_bytes, on_gpu);
  records_ = allocate(count_ * line, on_gpu);
  entries_ = allocate(count_ * sizeof(wqe::CompletionEntry), server_->in_gpu_memory());
  doorbells_ = PinnedMemory{(count_ + 1) * line};
}

/// The host thread of a CPU-assisted doorbell.
void Session::forward(const std::stop_token& stop) {
  std::vector<std::uint64_t> seen(count_, 0);
  while (!stop.stop_requested())
    for (std::uint32_t i = 0; i < count_; ++i) {
      const auto value = std::atomic_ref{*relay(i)}.load(std::memory_order_acquire);
      if (value == seen[i]) continue;
      seen[i] = value;
      direct::store_register(const_cast<std::uint64_t*>(memories_[i].doorbell), value);
    }
}

std::uint64_t* Session::doorbell(std::uint32_t i) const {
  return reinterpret_cast<std::uint64_t*>(doorbells_.as<std::byte>() + i * line);
}
std::uint64_t* Session::relay(std::uint32_t i) const {
  return reinterpret_cast<std::uint64_t*>(relays_.as<std::byte>() + i * line);
}
std::uint64_t* Session::target(std::uint64_t offset) const {
  return reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(target_.data()) + offset);
}

emulated::QueueMemory Session::memory_of(std::uint32_t i, bool executed) const {
  emulated::QueueMemory memory;
  auto* const queue = static_cast<std::byte*>(send_queues_.data());
  memory.send_queue =
      executed ? queue + std::size_t{i} * layout_.depth * wqe::block_bytes : nullptr;
  memory.depth = layout_.depth;
  memory.dc = layout_.dc;
  memory.record =
      reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(records_.data()) + i * line);
  memory.doorbell = doorbell(i);
  memory.completions.entries = static_cast<wqe::CompletionEntry*>(entries_.data()) + i;
  memory.completions.collapsed = true;
  return memory;
}

QueuePair Session::device_view(std::uint32_t i, std::uint32_t number, std::uint32_t peer) const {
  const auto& memory = memories_[i];
  QueuePair qp{};
  // A sink reads no WQE, but the GPU writes them all the same.
  auto* const queue = memory.send_queue ? memory.send_queue : memory_of(i, true).send_queue;
  qp.send = wqe::make_send_queue(queue, memory.depth, number);
  qp.record = const_cast<std::uint32_t*>(memory.record);
  qp.doorbell = layout_.assisted ? relay(i) : const_cast<std::uint64_t*>(memory.doorbell);
  qp.newest = reinterpret_cast<const std::uint64_t*>(
      reinterpret_cast<const std::byte*>(memory.completions.entries) + wqe::tail_offset);
  qp.shared = shared_.as<SharedState>() + i;
  if (layout_.dc) qp.target = server_->route_to(peer, dc_access_key);
  return qp;
}

void Session::size_target(const Traffic& traffic) {
  constexpr std::size_t least = 4096;
  // A real adapter does not mind where a payload lies; the emulated one copies by 16 B from there.
  const std::size_t align = layout_.payload > 8 ? 16 : 8;
  const std::size_t stride = (layout_.payload + align - 1) / align * align;
  const auto bytes = std::max(least, traffic.slots * stride);
  if (target_.bytes() < bytes) target_ = allocate(bytes, server_->in_gpu_memory());
  clear(target_, 0);
  writes_ = {};
  writes_.slot_mask = std::bit_ceil(traffic.slots) - 1;
  writes_.length = layout_.payload;
  writes_.stride = static_cast<std::uint32_t>(stride);
  writes_.blocks = layout_.blocks;
  writes_.retires = traffic.executed ? layout_.blocks : 1;
  if (!layout_.inlined && source_.bytes() < bytes) {
    source_ = allocate(bytes, server_->in_gpu_memory());
    fill_source();
  }
}

void Session::fill_source() {
  std::vector<std::byte> pattern(source_.bytes());
  for (std::uint64_t m = 0; (m + 1) * writes_.stride <= pattern.size(); ++m)
    write_pattern(m, writes_.length, pattern.data() + m * writes_.stride);
  if (source_.gpu.data())
    source_.gpu.from_host(pattern.data(), pattern.size());
  else
    std::memcpy(source_.host.data(), pattern.data(), pattern.size());
}

void Session::begin(const Traffic& traffic) {
  size_target(traffic);
  clear(records_, 0);
  clear(entries_, wqe::unwritten_entry);
  if (doorbells_.data()) std::memset(doorbells_.data(), 0, doorbells_.bytes());
  std::memset(relays_.data(), 0, relays_.bytes());
  shared_.fill(0);
  writes_.remote = {reinterpret_cast<std::uintptr_t>(target_.data()),
                    server_->register_memory(target_.data(), target_.bytes())};
  if (source_.data())
    writes_.source = {reinterpret_cast<std::uintptr_t>(source_.data()),
                      server_->register_memory(source_.data(), source_.bytes())};
  std::vector<QueuePair> views;
  std::vector<std::uint32_t> numbers;
  memories_.assign(count_, {});
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (!server_->brings_queues()) memories_[i] = memory_of(i, traffic.executed);
    memories_[i].depth = layout_.depth;
    numbers.push_back(server_->attach(memories_[i], dc_access_key));
  }
  for (std::uint32_t i = 0; i < count_; ++i) {
    const auto peer = numbers[i ^ 1U];
    server_->connect(numbers[i], peer);
    views.push_back(device_view(i, numbers[i], peer));
  }
  device_qps_.from_host(views.data(), views.size() * sizeof(QueuePair));
  server_->start();
  if (layout_.assisted) forwarder_ = std::jthread{[this](const std::stop_token& s) { forward(s); }};
}

std::optional<emulated::Counters> Session::end() {
  forwarder_ = {};
  return server_->stop();
}

std::string Session::error_completion() const {
  for (const auto& memory : memories_) {
    wqe::CompletionEntry entry;
    copy_to_host(&entry, memory.completions.entries, sizeof entry);
    std::uint64_t tail = 0;
    std::memcpy(&tail, reinterpret_cast<const char*>(&entry) + wqe::tail_offset, sizeof tail);
    if (wqe::read_tail(tail).kind != wqe::CompletionKind::requester_error) continue;
    const auto detail = wqe::error_detail(entry);
    return server_->describe(detail.syndrome, detail.vendor);
  }
  return {};
}

std::int64_t Session::first_wrong(std::uint64_t count) const {
  std::vector<std::byte> copy;
  const auto* arrived = static_cast<const std::byte*>(target_.host.data());
  if (target_.gpu.data()) {
    copy.resize(target_.gpu.bytes());
    target_.gpu.to_host(copy.data(), copy.size());
    arrived = copy.data();
  }
  std::vector<std::byte> expected(writes_.length);
  for (std::uint64_t m = 0; m < count; ++m) {
    write_pattern(m, writes_.length, expected.data());
    if (std::memcmp(arrived + m * writes_.stride, expected.data(), expected.size()) != 0)
      return static_cast<std::int64_t>(m);
  }
  return -1;
}

}  // namespace qpcast::hw::gda
