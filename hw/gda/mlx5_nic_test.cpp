// mini-gda's server of mlx5 queue pairs over the fake adapter: what a kernel would write is written
// here by the CPU, into the memory that the server brings.
#include "hw/gda/mlx5_nic.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <chrono>

#include "hw/nic/device_error.hpp"
#include "hw/nic/direct/registers.hpp"
#include "hw/nic/mlx5/fake_adapter.hpp"
#include "hw/wqe/doorbell.hpp"
#include "hw/wqe/encode.hpp"

using namespace qpcast;
using namespace qpcast::hw;
using Catch::Contains;
using mlx5::FakeAdapter;

namespace {

constexpr std::uint64_t access_key = 42;

GpuLayout layout_of(Memory memory, bool dc = false) {
  GpuLayout layout;
  layout.qps = 2;
  layout.depth = 64;
  layout.queue_memory = memory;
  layout.dc = dc;
  return layout;
}

/// One kernel's steps on one queue pair: WQE, record, doorbell, then the collapsed entry.
wqe::CompletionTail write_one(const emulated::QueueMemory& memory, std::uint32_t number,
                              const wqe::Remote& remote, std::uint64_t value,
                              const wqe::CompactVector* vector) {
  const auto queue = wqe::make_send_queue(memory.send_queue, memory.depth, number);
  const wqe::MemoryPayload payload{&value};
  const auto next =
      vector ? wqe::write_inline(queue, 0, wqe::flag::signalled, remote, payload, 8, *vector)
             : wqe::write_inline(queue, 0, wqe::flag::signalled, remote, payload, 8);
  auto* const record = const_cast<std::uint32_t*>(memory.record);
  __atomic_store_n(&record[wqe::send_record], wqe::send_record_value(next), __ATOMIC_RELEASE);
  direct::store_register(const_cast<std::uint64_t*>(memory.doorbell),
                         wqe::doorbell_value(next, number));
  const auto* const newest = reinterpret_cast<const std::uint64_t*>(
      reinterpret_cast<const char*>(memory.completions.entries) + wqe::tail_offset);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  for (;;) {
    const auto tail = wqe::read_tail(__atomic_load_n(newest, __ATOMIC_ACQUIRE));
    if (tail.kind != wqe::CompletionKind::invalid) return tail;
    if (std::chrono::steady_clock::now() > end) FAIL("no completion");
  }
}

}  // namespace

TEST_CASE("queue pairs in host and GPU memory, RC and DC, write to each other", "[gda][mlx5]") {
  const auto memory = GENERATE(Memory::host, Memory::gpu);
  const bool dc = GENERATE(false, true);
  FakeAdapter calls;
  calls.ethernet = !dc;
  {
    Mlx5GpuNic nic{calls};
    CHECK(nic.why_no_doorbell().empty());
    const auto server = nic.serve(layout_of(memory, dc));
    CHECK(server->brings_queues());
    CHECK(server->in_gpu_memory() == (memory == Memory::gpu));
    std::array<std::uint64_t, 4> target{};
    const auto key = server->register_memory(target.data(), sizeof target);
    std::array<emulated::QueueMemory, 2> memories{};
    std::array<std::uint32_t, 2> numbers{};
    for (std::size_t i = 0; i < 2; ++i) {
      memories.at(i).depth = 64;
      numbers.at(i) = server->attach(memories.at(i), access_key);
    }
    for (std::size_t i = 0; i < 2; ++i) server->connect(numbers.at(i), numbers.at(i ^ 1));
    server->start();
    for (std::size_t i = 0; i < 2; ++i) {
      const auto vector = server->route_to(numbers.at(i ^ 1), access_key);
      const wqe::Remote remote{reinterpret_cast<std::uintptr_t>(&target.at(i)), key};
      const auto tail =
          write_one(memories.at(i), numbers.at(i), remote, 100 + i, dc ? &vector : nullptr);
      CHECK(tail.kind == wqe::CompletionKind::requester);
      CHECK(target.at(i) == 100 + i);
    }
    CHECK_FALSE(server->stop().has_value());
    CHECK(calls.live.empty());  // a pass gives everything back
  }
  CHECK(calls.through_dmabuf == (memory == Memory::gpu));
  CHECK(calls.mistakes.empty());
}

TEST_CASE("what the driver refuses names the setting that permits it", "[gda][mlx5]") {
  FakeAdapter calls;
  Mlx5GpuNic nic{calls};
  calls.refuse = {"io"};
  CHECK_THAT(nic.why_no_doorbell(), Contains("PeerMappingOverride"));
  CHECK_THAT(nic.why_no_dc(), Contains("RoCE"));
  CHECK_THROWS_WITH(nic.serve(layout_of(Memory::host, true)), Contains("RoCE"));
  const auto server = nic.serve(layout_of(Memory::gpu));
  calls.refuse = {"dmabuf", "region"};
  std::uint64_t word = 0;
  CHECK_THROWS_WITH(server->register_memory(&word, sizeof word), Contains("nvidia-peermem"));
  calls.refuse = {"export"};
  CHECK_NOTHROW(server->register_memory(&word, sizeof word));  // by peermem
  server->stop();
  CHECK(calls.live.empty());
}

TEST_CASE("CPU-assisted queue pairs map nothing of the NIC into the GPU", "[gda][mlx5]") {
  FakeAdapter calls;
  calls.refuse = {"io"};
  Mlx5GpuNic nic{calls};
  auto layout = layout_of(Memory::gpu);
  layout.assisted = true;
  const auto server = nic.serve(layout);
  emulated::QueueMemory memory;
  memory.depth = 64;
  server->attach(memory, access_key);
  CHECK(memory.doorbell != nullptr);
  server->stop();
  CHECK(calls.live.empty());
}
