// Several threads, each with queue pairs of its own, send random WQEs through one emulated NIC:
// every payload byte must be right, every completion accounted for.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <random>
#include <thread>

#include "hw/nic/emulated/errors.hpp"
#include "hw/nic/emulated/raw_queue.hpp"
#include "hw/nic/emulated/server.hpp"

using namespace qpcast::hw;
using namespace qpcast::hw::emulated;

namespace {

constexpr std::uint32_t depth = 128;
constexpr std::uint32_t slot_bytes = 512;
constexpr std::uint32_t slots = 2 * depth;
/// A machine that makes no progress at all for this long has hung.
constexpr auto patience = std::chrono::seconds{60};

/// A queue pair that writes to itself. Every WQE has a slot of the target to itself until it has
/// completed; then the slot is compared with what was sent, and the bytes around it with zero.
class Lane {
 public:
  Lane(Server& server, std::uint32_t seed)
      : server_{server},
        raw_{depth, 8},
        random_{seed},
        source_(slots * slot_bytes / 8),
        target_(slots * slot_bytes / 8) {
    for (auto& word : source_) word = random_();
    source_key_ = server.register_memory(source_.data(), source_.size() * 8, false);
    target_key_ = server.register_memory(target_.data(), target_.size() * 8);
    auto memory = raw_.memory();
    memory.receive_completions = raw_.receive_memory();
    raw_.number = server.attach(memory);
    server.connect(raw_.number, raw_.number);
  }
  ~Lane() {
    server_.detach(raw_.number);
    server_.deregister(source_key_);
    server_.deregister(target_key_);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Builds up to a batch of WQEs and rings once.
  void send(std::uint64_t most) {
    const auto batch = std::min<std::uint64_t>(most, 1 + random_() % 16);
    bool built = false;
    for (std::uint64_t i = 0; i < batch; ++i) {
      if (raw_.next + 4 - oldest() > depth) break;
      build(i + 1 == batch);
      built = true;
    }
    if (built) raw_.ring();
  }

  /// Takes completions and checks what they retire. @return messages retired
  std::uint64_t reap() {
    wqe::CompletionTail tail;
    wqe::CompletionEntry entry;
    std::uint64_t retired = 0;
    while (raw_.poll(tail, entry)) {
      if (tail.kind != wqe::CompletionKind::requester) {
        const auto error = wqe::error_detail(entry);
        failure_ = describe(error.syndrome, error.vendor);
        return 0;
      }
      ++completions_;
      retired += retire(tail.wqe_counter);
    }
    while (raw_.poll_received(tail, entry)) take_immediate(entry);
    return retired;
  }

  bool idle() const { return sent_.empty(); }
  std::uint64_t posted() const { return posted_; }
  std::uint64_t signalled() const { return signalled_; }
  std::uint64_t completions() const { return completions_; }
  std::uint64_t immediates_missing() const { return immediates_.size(); }
  const std::string& failure() const { return failure_; }
  Counters counters() { return server_.counters(raw_.number); }

 private:
  struct Sent {
    std::uint32_t block;
    bool signalled;
    wqe::Opcode opcode;
    std::uint32_t slot, source, offset, length;
    std::uint64_t before, add;
  };

  std::uint32_t oldest() const { return sent_.empty() ? raw_.next : sent_.front().block; }
  char* target(std::uint32_t slot) {
    return reinterpret_cast<char*>(target_.data()) + std::size_t{slot} * slot_bytes;
  }
  char* source(std::uint32_t slot) {
    return reinterpret_cast<char*>(source_.data()) + std::size_t{slot} * slot_bytes;
  }

  void build(bool last) {
    Sent sent{};
    sent.block = raw_.next;
    // Something must complete while the ring is full of what is not signalled.
    sent.signalled = last || random_() % 4 == 0 || ++unsignalled_ >= depth / 8;
    if (sent.signalled) {
      unsignalled_ = 0;
      ++signalled_;
    }
    const std::uint8_t flags = sent.signalled ? wqe::flag::signalled : wqe::flag::none;
    sent.slot = next_slot_++ % slots;
    sent.source = static_cast<std::uint32_t>(random_() % slots);
    raw_.next += build_one(sent, flags, random_() % 6);
    sent_.push_back(sent);
    ++posted_;
  }

  std::uint32_t build_one(Sent& sent, std::uint8_t flags, std::uint64_t form) {
    const auto queue = raw_.queue();
    if (form == 0) {
      sent.opcode = wqe::Opcode::nop;
      return wqe::nop(queue, sent.block, flags);
    }
    if (form == 1) return build_add(sent, flags);
    const bool inlined = form >= 4;
    sent.opcode = form == 2 ? wqe::Opcode::rdma_write_immediate : wqe::Opcode::rdma_write;
    sent.length = 1 + static_cast<std::uint32_t>(random_() % (inlined ? 220 : 400));
    sent.offset = static_cast<std::uint32_t>(random_() % (slot_bytes - sent.length));
    const wqe::Remote remote{address(target(sent.slot)) + sent.offset, target_key_};
    if (inlined)
      return wqe::write_inline(queue, sent.block, flags, remote,
                               wqe::MemoryPayload{source(sent.source)}, sent.length);
    const wqe::Local local{address(source(sent.source)), source_key_};
    if (form != 2) return wqe::write_pointer(queue, sent.block, flags, remote, local, sent.length);
    immediates_.push_back({static_cast<std::uint32_t>(posted_), sent.length});
    return wqe::write_with_immediate(queue, sent.block, flags, remote, local, sent.length,
                                     static_cast<std::uint32_t>(posted_));
  }

  /// The sum lies in the slot's first word, the old value comes back to its second.
  std::uint32_t build_add(Sent& sent, std::uint8_t flags) {
    sent.opcode = wqe::Opcode::atomic_fetch_add;
    sent.before = random_();
    sent.add = random_();
    std::memcpy(target(sent.slot), &sent.before, sizeof sent.before);
    const auto at = address(target(sent.slot));
    return wqe::fetch_add(raw_.queue(), sent.block, flags, {at, target_key_}, {at + 8, target_key_},
                          sent.add);
  }

  static std::uint64_t address(const char* at) { return reinterpret_cast<std::uintptr_t>(at); }

  std::uint64_t retire(std::uint16_t counter) {
    std::uint64_t count = 0;
    for (bool found = false; !found; ++count) {
      if (sent_.empty()) {
        failure_ = "a completion for a WQE that was not posted";
        return count;
      }
      const auto sent = sent_.front();
      sent_.pop_front();
      found = static_cast<std::uint16_t>(sent.block) == counter;
      if (sent.signalled != found) failure_ = "a signalled WQE was passed over";
      check(sent);
    }
    return count;
  }

  void check(const Sent& sent) {
    char expected[slot_bytes] = {};
    if (sent.opcode == wqe::Opcode::atomic_fetch_add) {
      const std::uint64_t sum = sent.before + sent.add;
      std::memcpy(expected, &sum, sizeof sum);
      std::memcpy(expected + 8, &sent.before, sizeof sent.before);
    } else if (sent.opcode != wqe::Opcode::nop) {
      std::memcpy(expected + sent.offset, source(sent.source), sent.length);
    }
    if (std::memcmp(target(sent.slot), expected, slot_bytes) != 0) failure_ = "a wrong byte";
    std::memset(target(sent.slot), 0, slot_bytes);
  }

  void take_immediate(const wqe::CompletionEntry& entry) {
    if (immediates_.empty() || immediates_.front() != Immediate{entry.immediate, entry.byte_count})
      failure_ = "an immediate that was not sent, or out of order";
    else
      immediates_.pop_front();
  }

  struct Immediate {
    std::uint32_t value, bytes;
    bool operator==(const Immediate&) const = default;
  };

  Server& server_;
  RawQueue raw_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> source_, target_;
  std::uint32_t source_key_ = 0, target_key_ = 0;
  std::deque<Sent> sent_;
  std::deque<Immediate> immediates_;
  std::uint32_t next_slot_ = 0, unsignalled_ = 0;
  std::uint64_t posted_ = 0, signalled_ = 0, completions_ = 0;
  std::string failure_;
};

/// What one thread found.
struct Found {
  std::uint64_t posted = 0, signalled = 0, completions = 0, immediates_missing = 0;
  Counters counters;
  std::string failure;
};

Found drive(Server& server, std::uint32_t seed, std::uint64_t messages) {
  Lane first{server, seed}, second{server, seed + 1000};
  Found found;
  auto progress = std::chrono::steady_clock::now();
  const auto failure = [&] {
    return !first.failure().empty() ? first.failure() : second.failure();
  };
  while (failure().empty()) {
    std::uint64_t retired = 0;
    for (Lane* lane : {&first, &second}) {
      if (lane->posted() < messages) lane->send(messages - lane->posted());
      retired += lane->reap();
    }
    if (first.posted() + second.posted() == 2 * messages && first.idle() && second.idle()) break;
    if (retired > 0) {
      progress = std::chrono::steady_clock::now();
      continue;
    }
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() - progress > patience) {
      found.failure = "no progress";
      return found;
    }
  }
  found.failure = failure();
  for (Lane* lane : {&first, &second}) {
    found.posted += lane->posted();
    found.signalled += lane->signalled();
    found.completions += lane->completions();
    found.immediates_missing += lane->immediates_missing();
    const auto counters = lane->counters();
    found.counters.served += counters.served;
    found.counters.completions += counters.completions;
    found.counters.errors += counters.errors + counters.flushed + counters.overruns;
  }
  return found;
}

void stress(const Imposed& imposed, std::uint32_t threads, std::uint64_t messages_per_lane) {
  Server server{imposed};
  std::vector<Found> found(threads);
  {
    std::vector<std::jthread> running;
    for (std::uint32_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] { found[t] = drive(server, t, messages_per_lane); });
  }
  for (const auto& each : found) {
    CHECK(each.failure == "");
    CHECK(each.posted == 2 * messages_per_lane);
    CHECK(each.completions == each.signalled);
    CHECK(each.immediates_missing == 0);
    CHECK(each.counters.served == each.posted);
    CHECK(each.counters.completions == each.signalled);
    CHECK(each.counters.errors == 0);
  }
  const auto sum = server.counters();
  CHECK(sum.served == 2 * messages_per_lane * threads);
  CHECK(sum.record_behind == 0);
}

}  // namespace

TEST_CASE("400,000 random WQEs from four threads arrive whole and complete") {
  stress({}, 4, 50000);
}

TEST_CASE("the same while the NIC imposes a rate and a context cache") {
  Imposed imposed;
  imposed.rate = 5;
  imposed.contexts = 3;
  imposed.miss_us = 0.2;
  imposed.replacement = GENERATE(Replacement::lru, Replacement::random);
  stress(imposed, 4, 2000);
}
