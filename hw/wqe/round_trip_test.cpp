#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "hw/wqe/completion.hpp"
#include "hw/wqe/decode.hpp"

using namespace qpcast::hw::wqe;

namespace {

constexpr std::uint32_t depth = 16;
constexpr std::uint32_t qpn = 0x00f00d;

struct Ring {
  SendQueue queue() { return make_send_queue(blocks.data(), depth, qpn); }
  struct alignas(64) Block {
    Segment segment[4];
  };
  std::vector<Block> blocks{depth};
};

/// What went in, to compare with what comes out.
struct Expected {
  Opcode opcode = Opcode::nop;
  std::uint8_t flags = 0;
  Remote remote;
  Local local;
  std::uint32_t length = 0, immediate = 0;
  std::uint64_t add = 0;
  Source source = Source::none;
  std::vector<std::uint32_t> payload;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_{seed} {}
  std::uint64_t bits() { return random_(); }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Expected wqe() {
    Expected e;
    const std::uint8_t flags[] = {flag::none, flag::signalled, flag::fence,
                                  flag::signalled | flag::solicited};
    e.flags = flags[below(4)];
    const auto form = below(5);
    if (form == 0) return e;
    e.remote = {bits(), static_cast<std::uint32_t>(bits())};
    if (form == 1) return inlined(e);
    e.local = {bits(), static_cast<std::uint32_t>(bits())};
    e.source = Source::pointer;
    if (form == 2) {
      e.opcode = Opcode::atomic_fetch_add;
      e.add = bits();
      e.length = 8;
      return e;
    }
    e.opcode = form == 3 ? Opcode::rdma_write : Opcode::rdma_write_immediate;
    if (form == 4) e.immediate = static_cast<std::uint32_t>(bits());
    e.length = below(1U << 20);
    if (e.length == 0) e.source = Source::none;
    return e;
  }

 private:
  Expected inlined(Expected e) {
    e.opcode = Opcode::rdma_write;
    e.source = Source::inlined;
    e.length = 1 + below(largest_inline);
    e.payload.resize((e.length + 3) / 4);
    for (auto& word : e.payload) word = static_cast<std::uint32_t>(bits());
    return e;
  }
  std::mt19937_64 random_;
};

template <class Vector>
std::uint32_t encode(const SendQueue& queue, std::uint32_t index, const Expected& e,
                     const Vector& vector) {
  switch (e.opcode) {
    case Opcode::nop:
      return nop(queue, index, e.flags);
    case Opcode::atomic_fetch_add:
      return fetch_add(queue, index, e.flags, e.remote, e.local, e.add, vector);
    case Opcode::rdma_write_immediate:
      return write_with_immediate(queue, index, e.flags, e.remote, e.local, e.length, e.immediate,
                                  vector);
    case Opcode::rdma_write:
      break;
  }
  if (e.source == Source::inlined)
    return write_inline(queue, index, e.flags, e.remote, MemoryPayload{e.payload.data()}, e.length,
                        vector);
  return write_pointer(queue, index, e.flags, e.remote, e.local, e.length, vector);
}

void check_payload(const SendQueue& queue, std::uint32_t index, const Decoded& wqe,
                   const Expected& e) {
  for (std::uint32_t i = 0; i < e.payload.size(); ++i) {
    const std::uint32_t bytes = std::min(4U, e.length - 4 * i);
    std::uint32_t expected = 0;
    std::memcpy(&expected, &e.payload[i], bytes);
    if (inline_word(queue, index, wqe, i) != expected) {
      CHECK(inline_word(queue, index, wqe, i) == expected);
      return;
    }
  }
}

template <class Vector>
void round_trips(const Vector& vector) {
  Ring ring;
  Generator generator{20260101};
  std::uint32_t index = 0xfff0;  // over the end of the 16-bit index, and many times round the ring
  for (int i = 0; i < 20000; ++i) {
    const auto expected = generator.wqe();
    const auto blocks = encode(ring.queue(), index, expected, vector);
    Decoded wqe;
    INFO("WQE " << i << " at block " << index);
    REQUIRE(decode(ring.queue(), index, Vector::segments != 0, wqe) == Defect::none);
    REQUIRE(wqe.opcode == expected.opcode);
    REQUIRE(wqe.flags == expected.flags);
    REQUIRE(blocks_of(wqe.segments) == blocks);
    REQUIRE(wqe.source == expected.source);
    REQUIRE(wqe.length == expected.length);
    REQUIRE(wqe.remote.address == expected.remote.address);
    REQUIRE(wqe.remote.key == expected.remote.key);
    REQUIRE(wqe.local.address == expected.local.address);
    REQUIRE(wqe.local.key == expected.local.key);
    REQUIRE(wqe.add == expected.add);
    REQUIRE(wqe.immediate == expected.immediate);
    check_payload(ring.queue(), index, wqe, expected);
    index += blocks;
  }
}

}  // namespace

TEST_CASE("random WQEs come back as they went in, round the ring") {
  SECTION("reliable connected") { round_trips(Connected{}); }
  SECTION("DC, compact vector") { round_trips(CompactVector{1, 2, 3, 4, 5}); }
  SECTION("DC, full vector") { round_trips(FullVector{{9, 8, 7, 6, 5}, {}, {}}); }
}

TEST_CASE("a DC target comes back as it went in") {
  Ring ring;
  const FullVector full{{0x1122334455667788, 0x0abcde, 0x1234, 0x56, 0x78}, {}, {}};
  Decoded wqe;
  const auto check = [&](bool extended) {
    REQUIRE(decode(ring.queue(), 15, true, wqe) == Defect::none);
    CHECK(wqe.extended == extended);
    CHECK(wqe.target.access_key == full.target.access_key);
    CHECK(wqe.target.dct == full.target.dct);
    CHECK(wqe.target.remote_lid == full.target.remote_lid);
    CHECK(wqe.target.rate_sl == full.target.rate_sl);
    CHECK(wqe.target.source_path == full.target.source_path);
  };
  write_pointer(ring.queue(), 15, flag::none, {1, 2}, {3, 4}, 5, full);
  check(true);
  write_pointer(ring.queue(), 15, flag::none, {1, 2}, {3, 4}, 5, full.target);
  check(false);
}

TEST_CASE("malformed WQEs are told apart") {
  Ring ring;
  const auto queue = ring.queue();
  const std::uint64_t value = 42;
  Decoded wqe;
  const auto put = [&](std::uint32_t word, std::uint32_t raw) {
    queue.at(3, word / 4)->word[word % 4] = be32{raw}.raw();
  };
  const auto first = [](std::uint32_t index, std::uint32_t opcode) { return index << 8 | opcode; };
  write_inline(queue, 3, flag::none, {1, 2}, MemoryPayload{&value}, 8);
  REQUIRE(decode(queue, 3, false, wqe) == Defect::none);

  SECTION("index of another block") {
    CHECK(decode(queue, 3 + depth, false, wqe) == Defect::index);
    put(0, first(4, 0x08));
    CHECK(decode(queue, 3, false, wqe) == Defect::index);
  }
  SECTION("opcode") {
    put(0, first(3, 0x25));
    CHECK(decode(queue, 3, false, wqe) == Defect::opcode);
  }
  SECTION("opcode modifier") {
    put(0, 1U << 24 | first(3, 0x08));
    CHECK(decode(queue, 3, false, wqe) == Defect::reserved);
  }
  SECTION("queue number") {
    put(1, (qpn + 1) << 8 | 3);
    CHECK(decode(queue, 3, false, wqe) == Defect::queue_number);
  }
  SECTION("segment count") {
    for (const std::uint32_t count : {0U, 1U, 64U, 255U}) {
      put(1, qpn << 8 | count);
      CHECK(decode(queue, 3, false, wqe) == Defect::segment_count);
    }
  }
  SECTION("inline length") {
    for (const std::uint32_t length : {0U, 13U, 221U, 1000U}) {
      put(8, inline_mark | length);
      CHECK(decode(queue, 3, false, wqe) == Defect::inline_length);
    }
  }
  SECTION("reserved word of the remote address") {
    put(7, 1);
    CHECK(decode(queue, 3, false, wqe) == Defect::reserved);
  }
  SECTION("two data segments") {
    write_pointer(queue, 3, flag::none, {1, 2}, {3, 4}, 5);
    put(1, qpn << 8 | 4);
    CHECK(decode(queue, 3, false, wqe) == Defect::segment_count);
  }
  SECTION("result of an atomic") {
    fetch_add(queue, 3, flag::none, {1, 2}, {3, 4}, 5);
    put(12, 4);
    CHECK(decode(queue, 3, false, wqe) == Defect::atomic_operand);
    put(1, qpn << 8 | 5);
    CHECK(decode(queue, 3, false, wqe) == Defect::segment_count);
  }
  SECTION("address vector") {
    write_pointer(queue, 3, flag::none, {1, 2}, {3, 4}, 5, CompactVector{});
    put(6, extended_mark | 7);
    CHECK(decode(queue, 3, true, wqe) == Defect::address_vector);
    put(6, 0x01000000);
    CHECK(decode(queue, 3, true, wqe) == Defect::address_vector);
  }
}

TEST_CASE("the owner bit turns with every lap") {
  for (std::uint32_t index = 0; index < 64; ++index) {
    const CompletionTail fresh{0, qpn, 1, CompletionKind::requester, (index / 16) % 2 == 1};
    CHECK(is_new(fresh, index, 4));
    CHECK_FALSE(is_new(fresh, index + 16, 4));
  }
  CHECK_FALSE(is_new(read_tail(std::uint64_t{unwritten_entry} << 56), 0, 4));
}
