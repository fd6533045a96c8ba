#include "hw/proxy/ring.hpp"

#include <fmt/format.h>

#include <bit>
#include <memory>
#include <new>

#include "model/error.hpp"

namespace qpcast::hw {

namespace {

/// The two halves may arrive one after the other; the second written carries the release, and the
/// worker wants both laps right.
void store(Descriptor& slot, const Descriptor& descriptor, std::memory_order order) {
  std::atomic_ref{slot.second}.store(descriptor.second, std::memory_order_relaxed);
  std::atomic_ref{slot.first}.store(descriptor.first, order);
}

}  // namespace

Ring::Ring(std::uint64_t capacity, std::pmr::memory_resource* memory)
    : capacity_{capacity}, memory_{memory} {
  constexpr std::uint64_t most = 1 << 20;
  if (!std::has_single_bit(capacity) || capacity < 2 || capacity > most)
    throw InputError{"ring", "capacity",
                     fmt::format("{}: a power of two from 2 to {} is right", capacity, most)};
  counters_ = new (memory_->allocate(bytes(), alignof(Counters))) Counters{};
  std::uninitialized_value_construct_n(view().slots, capacity_);
}

Ring::~Ring() { memory_->deallocate(counters_, bytes(), alignof(Counters)); }

RingView Ring::view() {
  auto* const slots = reinterpret_cast<Descriptor*>(counters_ + 1);
  return {slots, capacity_, &counters_->reserved.value, &counters_->consumed.value,
          &counters_->completed.value};
}

bool BaselineProducer::try_push(const Request& request) {
  std::atomic_ref reserved{*ring_.reserved};
  std::uint64_t index = reserved.load(std::memory_order_relaxed);
  do {
    const auto consumed = std::atomic_ref{*ring_.consumed}.load(std::memory_order_acquire);
    if (index - consumed >= ring_.capacity && index >= consumed) return false;
  } while (!reserved.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
  // Sequential consistency is the host's counterpart of the device's system-scope fence.
  store(ring_.slots[index & (ring_.capacity - 1)], encode(request, lap_of(index, ring_.capacity)),
        std::memory_order_seq_cst);
  return true;
}

bool TunedProducer::try_push(const Request& request) {
  if (tail_ - known_consumed_ == ring_.capacity) {
    known_consumed_ = std::atomic_ref{*ring_.consumed}.load(std::memory_order_acquire);
    if (tail_ - known_consumed_ == ring_.capacity) return false;
  }
  store(ring_.slots[tail_ & (ring_.capacity - 1)], encode(request, lap_of(tail_, ring_.capacity)),
        std::memory_order_release);
  ++tail_;
  return true;
}

Descriptor Consumer::load(std::uint64_t index) const {
  auto& slot = ring_.slots[index & (ring_.capacity - 1)];
  const auto first = std::atomic_ref{slot.first}.load(std::memory_order_acquire);
  return {first, std::atomic_ref{slot.second}.load(std::memory_order_relaxed)};
}

bool Consumer::waiting() const { return valid(load(head_), lap_of(head_, ring_.capacity)); }

std::size_t Consumer::pop(std::span<Request> requests) {
  std::size_t count = 0;
  for (; count < requests.size(); ++count, ++head_) {
    const auto descriptor = load(head_);
    if (!valid(descriptor, lap_of(head_, ring_.capacity))) break;
    requests[count] = decode(descriptor);
  }
  if (count > 0) std::atomic_ref{*ring_.consumed}.store(head_, std::memory_order_release);
  return count;
}

void Consumer::complete(std::uint64_t count) {
  done_ += count;
  std::atomic_ref{*ring_.completed}.store(done_, std::memory_order_release);
}

}  // namespace qpcast::hw
