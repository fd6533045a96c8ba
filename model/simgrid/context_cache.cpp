#include "model/simgrid/context_cache.hpp"

#include <algorithm>

namespace qpcast::simgrid {

ContextCache::ContextCache(std::uint32_t capacity, std::uint32_t connections,
                           Replacement replacement)
    : replacement_{replacement},
      capacity_{std::max(1U, std::min(capacity, connections))},
      slot_of_(connections, none) {
  connection_.reserve(capacity_);
  if (replacement_ == Replacement::lru) {
    newer_.assign(capacity_, none);
    older_.assign(capacity_, none);
  }
}

void ContextCache::unlink(std::uint32_t slot) {
  const auto newer = newer_[slot], older = older_[slot];
  (newer == none ? newest_ : older_[newer]) = older;
  (older == none ? oldest_ : newer_[older]) = newer;
}

void ContextCache::link_front(std::uint32_t slot) {
  newer_[slot] = none;
  older_[slot] = newest_;
  if (newest_ != none) newer_[newest_] = slot;
  newest_ = slot;
  if (oldest_ == none) oldest_ = slot;
}

std::uint32_t ContextCache::victim(Random& random) {
  if (connection_.size() < capacity_) {
    connection_.push_back(none);
    return static_cast<std::uint32_t>(connection_.size() - 1);
  }
  const auto slot = replacement_ == Replacement::lru ? oldest_ : random.below(capacity_);
  slot_of_[connection_[slot]] = none;
  if (replacement_ == Replacement::lru) unlink(slot);
  return slot;
}

void ContextCache::fill() {
  for (auto c = static_cast<std::uint32_t>(connection_.size()); c < capacity_; ++c) {
    connection_.push_back(c);
    slot_of_[c] = c;
    if (replacement_ == Replacement::lru) link_front(c);
  }
}

bool ContextCache::visit(std::uint32_t connection, Random& random) {
  const auto present = slot_of_[connection];
  if (present != none) {
    ++hits_;
    if (replacement_ == Replacement::lru && present != newest_) {
      unlink(present);
      link_front(present);
    }
    return true;
  }
  ++misses_;
  const auto slot = victim(random);
  connection_[slot] = connection;
  slot_of_[connection] = slot;
  if (replacement_ == Replacement::lru) link_front(slot);
  return false;
}

}  // namespace qpcast::simgrid
