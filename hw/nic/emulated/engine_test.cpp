// The engine without its thread: each test takes the steps itself.
#include "hw/nic/emulated/engine.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>

#include "hw/nic/emulated/errors.hpp"
#include "hw/nic/emulated/raw_queue.hpp"

using namespace qpcast::hw;
using namespace qpcast::hw::emulated;
using wqe::flag::none;
using wqe::flag::signalled;

namespace {

constexpr std::uint32_t depth = 16;

/// Two queue pairs, connected to each other, and two regions.
struct Fixture {
  explicit Fixture(std::uint32_t log_entries = 6) : a{depth, log_entries}, b{depth, log_entries} {
    add(a, 1, 2);
    add(b, 2, 1);
    std::iota(source.begin(), source.end(), std::uint8_t{1});
    registrations[0] = {address(source), source.size(), 0x100, false, false};
    registrations[1] = {address(target), target.size(), 0x200, true, true};
    adapter = {registrations.data(), 2, queues.data(), 4};
  }
  void add(RawQueue& raw, std::uint32_t number, std::uint32_t peer) {
    raw.number = number;
    auto& queue = queues[number];
    queue.memory = raw.memory();
    queue.send = raw.queue();
    queue.completions.memory = queue.memory.completions;
    queue.peer = peer;
    queue.condition = Condition::ready;
  }
  template <class Memory>
  static std::uint64_t address(const Memory& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.data());
  }
  wqe::Remote remote(std::uint64_t offset = 0) const { return {address(target) + offset, 0x200}; }
  wqe::Local local(std::uint64_t offset = 0) const { return {address(source) + offset, 0x100}; }
  std::uint32_t step(Mode mode = Mode::execute) {
    return emulated::step(adapter, queues[1], mode, 1000);
  }

  void expect_success(std::uint16_t counter) {
    wqe::CompletionTail tail;
    wqe::CompletionEntry entry;
    REQUIRE(a.poll(tail, entry));
    CHECK(tail.kind == wqe::CompletionKind::requester);
    CHECK(tail.wqe_counter == counter);
    CHECK(tail.qpn == a.number);
  }
  void expect_error(std::uint16_t counter, wqe::Syndrome syndrome, std::uint8_t vendor) {
    wqe::CompletionTail tail;
    wqe::CompletionEntry entry;
    REQUIRE(a.poll(tail, entry));
    CHECK(tail.kind == wqe::CompletionKind::requester_error);
    CHECK(tail.wqe_counter == counter);
    CHECK(wqe::error_detail(entry).syndrome == syndrome);
    CHECK(wqe::error_detail(entry).vendor == vendor);
    INFO(describe(syndrome, vendor));
  }
  void expect_nothing() {
    wqe::CompletionTail tail;
    wqe::CompletionEntry entry;
    CHECK_FALSE(a.poll(tail, entry));
  }
  bool untouched() const {
    return std::all_of(target.begin(), target.end(), [](std::uint8_t byte) { return byte == 0; });
  }

  RawQueue a, b;
  std::array<Queue, 4> queues{};
  std::array<Registration, 2> registrations{};
  alignas(64) std::array<std::uint8_t, 4096> source{};
  alignas(64) std::array<std::uint8_t, 4096> target{};
  Adapter adapter;
};

}  // namespace

TEST_CASE("nothing is served before the doorbell, everything after it") {
  Fixture f;
  f.a.next += wqe::write_pointer(f.a.queue(), 0, signalled, f.remote(8), f.local(3), 100);
  CHECK(f.step() == 0);
  store_release(&f.a.record[wqe::send_record], wqe::send_record_value(1));
  CHECK(f.step() == 0);
  f.a.ring();
  CHECK(f.step() == 1);
  f.expect_success(0);
  f.expect_nothing();
  CHECK(std::equal(f.target.begin() + 8, f.target.begin() + 108, f.source.begin() + 3));
  CHECK(f.target[7] == 0);
  CHECK(f.target[108] == 0);
}

TEST_CASE("the last WQE's own first half rings as well") {
  Fixture f;
  f.a.next += wqe::nop(f.a.queue(), 0, none);
  f.a.next += wqe::write_inline(f.a.queue(), 1, signalled, f.remote(),
                                wqe::MemoryPayload{f.source.data()}, 220);
  REQUIRE(f.a.next == 5);
  store_release(&f.a.record[wqe::send_record], wqe::send_record_value(f.a.next));
  store_release(&f.a.doorbell,
                wqe::doorbell_value(wqe::load<wqe::ControlSegment>(f.a.queue().at(1, 0))));
  CHECK(f.step() == 2);
  f.expect_success(1);
  CHECK(std::equal(f.target.begin(), f.target.begin() + 220, f.source.begin()));
  CHECK(f.target[220] == 0);
}

TEST_CASE("one completion retires what was posted unsignalled before it") {
  Fixture f;
  for (std::uint32_t i = 0; i < 8; ++i)
    f.a.next += wqe::nop(f.a.queue(), f.a.next, i == 7 ? signalled : none);
  f.a.ring();
  CHECK(f.step() == 8);
  f.expect_success(7);
  f.expect_nothing();
}

TEST_CASE("fetch-add adds, and brings the old value back") {
  Fixture f;
  auto& counter = *reinterpret_cast<std::uint64_t*>(f.target.data() + 16);
  auto& old = *reinterpret_cast<std::uint64_t*>(f.source.data());
  counter = 40;
  f.a.next += wqe::fetch_add(f.a.queue(), 0, signalled, f.remote(16), f.local(), 2);
  f.a.ring();
  f.step();
  f.expect_success(0);
  CHECK(counter == 42);
  CHECK(old == 40);
}

TEST_CASE("a write with immediate completes at the peer with value and length") {
  Fixture f;
  f.queues[2].receive_completions.memory = f.b.receive_memory();
  f.a.next +=
      wqe::write_with_immediate(f.a.queue(), 0, signalled, f.remote(), f.local(), 24, 0xcafe0001);
  f.a.next += wqe::write_with_immediate(f.a.queue(), 1, signalled, f.remote(), f.local(), 0, 2);
  f.a.ring();
  CHECK(f.step() == 2);
  f.expect_success(0);
  f.expect_success(1);
  wqe::CompletionTail tail;
  wqe::CompletionEntry entry;
  REQUIRE(f.b.poll_received(tail, entry));
  CHECK(tail.kind == wqe::CompletionKind::responder_write_immediate);
  CHECK(tail.qpn == 2);
  CHECK(entry.immediate == 0xcafe0001);
  CHECK(entry.byte_count == 24);
  REQUIRE(f.b.poll_received(tail, entry));
  CHECK(entry.immediate == 2);
  CHECK(entry.byte_count == 0);
}

TEST_CASE("a DC initiator reaches the target that its WQE names") {
  Fixture f;
  f.queues[1].memory.dc = true;
  f.queues[1].peer = 0;
  f.queues[2].access_key = 0x5ec4e7;
  wqe::CompactVector vector;
  vector.dct = 2;
  vector.access_key = 0x5ec4e7;
  SECTION("compact") {
    f.a.next += wqe::write_pointer(f.a.queue(), 0, signalled, f.remote(), f.local(), 64, vector);
  }
  SECTION("full") {
    f.a.next += wqe::write_pointer(f.a.queue(), 0, signalled, f.remote(), f.local(), 64,
                                   wqe::FullVector{vector, {}, {}});
  }
  SECTION("with another key") {
    ++vector.access_key;
    f.a.next += wqe::write_pointer(f.a.queue(), 0, signalled, f.remote(), f.local(), 64, vector);
    f.a.ring();
    f.step();
    f.expect_error(0, wqe::Syndrome::remote_access, static_cast<std::uint8_t>(Refusal::access_key));
    CHECK(f.untouched());
    return;
  }
  f.a.ring();
  f.step();
  f.expect_success(0);
  CHECK(std::equal(f.target.begin(), f.target.begin() + 64, f.source.begin()));
}

TEST_CASE("queues, completions and indices go round for ever") {
  Fixture f{3};  // 8 completion entries
  std::uint64_t expected = 0;
  for (std::uint32_t i = 0; i < 70000; ++i) {  // over the end of the 16-bit index
    const std::uint64_t value = i * 0x9e3779b97f4a7c15;
    f.a.next += wqe::write_inline(f.a.queue(), f.a.next, signalled, f.remote(8UL * (i % 512)),
                                  wqe::RegisterPayload{value}, 8);
    f.a.ring();
    REQUIRE(f.step() == 1);
    wqe::CompletionTail tail;
    wqe::CompletionEntry entry;
    REQUIRE(f.a.poll(tail, entry));
    REQUIRE(tail.wqe_counter == static_cast<std::uint16_t>(i));
    std::memcpy(&expected, f.target.data() + 8UL * (i % 512), sizeof expected);
    REQUIRE(expected == value);
  }
  CHECK(f.queues[1].counters.served == 70000);
  CHECK(f.queues[1].counters.completions == 70000);
}

TEST_CASE("a WQE that is malformed or refused is completed in error, what follows is flushed") {
  Fixture f;
  const auto queue = f.a.queue();
  auto syndrome = wqe::Syndrome::local_qp_operation;
  auto vendor = std::uint8_t{0};
  const auto refused = [&](wqe::Syndrome why, Refusal refusal) {
    syndrome = why;
    vendor = static_cast<std::uint8_t>(refusal);
  };
  const auto malformed = [&](wqe::Defect defect) { vendor = static_cast<std::uint8_t>(defect); };
  f.a.next += wqe::nop(queue, 0, signalled);
  const auto write = [&](const wqe::Remote& remote, const wqe::Local& local, std::uint32_t bytes) {
    f.a.next += wqe::write_pointer(queue, 1, none, remote, local, bytes);
  };

  SECTION("index") {
    write(f.remote(), f.local(), 8);
    queue.at(1, 0)->word[0] = wqe::be32{2U << 8 | 0x08}.raw();
    malformed(wqe::Defect::index);
  }
  SECTION("opcode") {
    write(f.remote(), f.local(), 8);
    queue.at(1, 0)->word[0] = wqe::be32{1U << 8 | 0x10}.raw();
    malformed(wqe::Defect::opcode);
  }
  SECTION("segment count") {
    write(f.remote(), f.local(), 8);
    queue.at(1, 0)->word[1] = wqe::be32{1U << 8 | 0}.raw();
    malformed(wqe::Defect::segment_count);
  }
  SECTION("queue number") {
    write(f.remote(), f.local(), 8);
    queue.at(1, 0)->word[1] = wqe::be32{2U << 8 | 3}.raw();
    malformed(wqe::Defect::queue_number);
  }
  SECTION("inline length") {
    f.a.next += wqe::write_inline(queue, 1, none, f.remote(), wqe::RegisterPayload{1}, 8);
    queue.at(1, 2)->word[0] = wqe::be32{wqe::inline_mark | 221}.raw();
    malformed(wqe::Defect::inline_length);
  }
  SECTION("local key") {
    write(f.remote(), {f.local().address, 0x300}, 8);
    refused(wqe::Syndrome::local_protection, Refusal::local_key);
  }
  SECTION("stale variant of a local key") {
    write(f.remote(), {f.local().address, 0x101}, 8);
    refused(wqe::Syndrome::local_protection, Refusal::local_key);
  }
  SECTION("local bounds") {
    write(f.remote(), f.local(4090), 8);
    refused(wqe::Syndrome::local_protection, Refusal::local_bounds);
  }
  SECTION("remote key") {
    write({f.remote().address, 0}, f.local(), 8);
    refused(wqe::Syndrome::remote_access, Refusal::remote_key);
  }
  SECTION("remote bounds, behind") {
    write(f.remote(4089), f.local(), 8);
    refused(wqe::Syndrome::remote_access, Refusal::remote_bounds);
  }
  SECTION("remote bounds, before") {
    write({f.remote().address - 1, 0x200}, f.local(), 8);
    refused(wqe::Syndrome::remote_access, Refusal::remote_bounds);
  }
  SECTION("remote bounds, length that overflows") {
    write({~std::uint64_t{0} - 3, 0x200}, f.local(), 8);
    refused(wqe::Syndrome::remote_access, Refusal::remote_bounds);
  }
  SECTION("remote access") {
    write({f.local().address, 0x100}, f.local(8), 8);
    refused(wqe::Syndrome::remote_access, Refusal::remote_access);
  }
  SECTION("alignment of an atomic") {
    f.a.next += wqe::fetch_add(queue, 1, none, f.remote(4), f.local(), 1);
    refused(wqe::Syndrome::remote_invalid_request, Refusal::remote_alignment);
  }
  SECTION("immediate without a receiver") {
    f.a.next += wqe::write_with_immediate(queue, 1, none, f.remote(), f.local(), 8, 1);
    refused(wqe::Syndrome::receiver_not_ready, Refusal::no_receiver);
  }
  SECTION("not connected") {
    f.queues[1].peer = 0;
    write(f.remote(), f.local(), 8);
    refused(wqe::Syndrome::local_qp_operation, Refusal::not_connected);
  }
  SECTION("peer gone") {
    f.queues[2].condition = Condition::absent;
    write(f.remote(), f.local(), 8);
    refused(wqe::Syndrome::retries_exceeded, Refusal::peer_gone);
  }
  SECTION("peer in error") {
    f.queues[2].condition = Condition::error;
    write(f.remote(), f.local(), 8);
    refused(wqe::Syndrome::retries_exceeded, Refusal::peer_gone);
  }

  f.a.next += wqe::write_inline(queue, 2, none, f.remote(), wqe::RegisterPayload{1}, 8);
  f.a.ring();
  f.step();
  f.expect_success(0);
  f.expect_error(1, syndrome, vendor);
  f.expect_error(2, wqe::Syndrome::flushed, 0);
  f.expect_nothing();
  CHECK(f.untouched());
  CHECK(f.queues[1].event == static_cast<std::uint32_t>(Event::queue_error));
  CHECK(f.queues[1].counters.errors == 1);
  CHECK(f.queues[1].counters.flushed == 1);
  CHECK(describe(syndrome, vendor).find("see the vendor syndrome") == std::string::npos);

  f.a.next += wqe::nop(queue, 3, none);
  f.a.ring();
  f.step();
  f.expect_error(3, wqe::Syndrome::flushed, 0);
}

TEST_CASE("doorbells that no submitter should ring") {
  Fixture f;
  f.a.next += wqe::nop(f.a.queue(), 0, signalled);
  SECTION("more blocks than the queue has") {
    f.a.ring_up_to(depth + 1);
    f.step();
    f.expect_error(0, wqe::Syndrome::local_qp_operation,
                   static_cast<std::uint8_t>(Refusal::announced));
    f.expect_nothing();
  }
  SECTION("another queue pair's number") {
    store_release(&f.a.record[wqe::send_record], wqe::send_record_value(1));
    store_release(&f.a.doorbell, wqe::doorbell_value(1, 2));
    f.step();
    f.expect_error(0, wqe::Syndrome::local_qp_operation,
                   static_cast<std::uint8_t>(Refusal::doorbell_number));
  }
  SECTION("a WQE of which only the first block is announced") {
    wqe::write_inline(f.a.queue(), 0, signalled, f.remote(), wqe::MemoryPayload{f.source.data()},
                      220);
    f.a.ring_up_to(1);
    f.step();
    f.expect_error(0, wqe::Syndrome::local_qp_operation,
                   static_cast<std::uint8_t>(wqe::Defect::segment_count));
    CHECK(f.untouched());
  }
  SECTION("before its record: counted once, and served when the record has come") {
    store_release(&f.a.doorbell, wqe::doorbell_value(1, f.a.number));
    CHECK(f.step() == 0);
    CHECK(f.step() == 0);
    CHECK(f.queues[1].counters.record_behind == 1);
    store_release(&f.a.record[wqe::send_record], wqe::send_record_value(1));
    CHECK(f.step() == 1);
    f.expect_success(0);
  }
}

TEST_CASE("a completion queue that nobody empties overruns, and the queue pair stops") {
  Fixture f{2};  // 4 entries
  for (std::uint32_t i = 0; i < 6; ++i) f.a.next += wqe::nop(f.a.queue(), i, signalled);
  f.a.ring();
  f.step();
  CHECK(f.queues[1].counters.completions == 4);
  CHECK(f.queues[1].counters.overruns == 1);
  CHECK(f.queues[1].event == static_cast<std::uint32_t>(Event::completion_overrun));
  for (std::uint16_t i = 0; i < 4; ++i) f.expect_success(i);
  CHECK(f.step() == 0);
  f.expect_nothing();
}

TEST_CASE("a collapsed completion queue shows the newest, and cannot overrun") {
  Fixture f;
  f.queues[1].completions.memory.collapsed = true;
  f.queues[1].completions.memory.consumer_record = nullptr;
  for (std::uint32_t i = 0; i < 200; ++i) {
    f.a.next += wqe::nop(f.a.queue(), i, signalled);
    f.a.ring();
    f.step();
    CHECK(f.a.entries[0].wqe_counter == i);
  }
  CHECK(f.a.entries[1].kind_owner == wqe::unwritten_entry);
}

TEST_CASE("a sink retires by doorbell alone, one completion for the newest block") {
  Fixture f;
  f.queues[1].memory.send_queue = nullptr;
  f.queues[1].memory.record = nullptr;
  const auto ring = [&](std::uint32_t next) {
    store_release(&f.a.doorbell, wqe::doorbell_value(next, f.a.number));
  };
  ring(3);
  CHECK(f.step(Mode::sink) == 3);
  f.expect_success(2);
  CHECK(f.step(Mode::sink) == 0);
  f.expect_nothing();
  std::uint32_t newest = 3;
  for (std::uint32_t next = 40000; next < 200000; next += 40000) {  // over the 16 bits' end
    ring(next);
    CHECK(emulated::step(f.adapter, f.queues[1], Mode::sink, 65536) == next - newest);
    newest = next;
    f.expect_success(static_cast<std::uint16_t>(newest - 1));
  }
  CHECK(f.queues[1].counters.served == newest);
  ring(newest + 10);
  CHECK(emulated::step(f.adapter, f.queues[1], Mode::sink, 4) == 4);
  f.expect_success(static_cast<std::uint16_t>(newest + 3));
  CHECK(emulated::step(f.adapter, f.queues[1], Mode::sink, 100) == 6);
  f.expect_success(static_cast<std::uint16_t>(newest + 9));
}
