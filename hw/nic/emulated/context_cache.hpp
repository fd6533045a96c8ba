/// Which queue pair contexts the NIC holds: a fully associative cache of queue numbers.
///
/// A visit to a queue pair whose context is not there fetches it and evicts another: the one that
/// was used longest ago (lru), or any (random). Visited in turn, one queue pair more than fits
/// makes every visit of lru a miss, but only some of random's.
#pragma once

#include <cstdint>
#include <list>
#include <random>
#include <unordered_map>
#include <vector>

#include "hw/nic/emulated/imposed.hpp"

namespace qpcast::hw::emulated {

class ContextCache {
 public:
  ContextCache(std::uint32_t capacity, Replacement replacement, std::uint64_t seed = 1)
      : capacity_{capacity}, replacement_{replacement}, random_{seed} {}

  /// @return the context was there
  bool touch(std::uint32_t number) {
    return replacement_ == Replacement::lru ? touch_lru(number) : touch_random(number);
  }

 private:
  bool touch_lru(std::uint32_t number) {
    const auto known = where_.find(number);
    if (known != where_.end()) {
      order_.splice(order_.begin(), order_, known->second);
      return true;
    }
    if (order_.size() == capacity_) {
      where_.erase(order_.back());
      order_.pop_back();
    }
    order_.push_front(number);
    where_[number] = order_.begin();
    return false;
  }

  bool touch_random(std::uint32_t number) {
    if (slot_.contains(number)) return true;
    std::size_t slot = held_.size();
    if (slot < capacity_) {
      held_.push_back(number);
    } else {
      slot = std::uniform_int_distribution<std::size_t>{0, capacity_ - 1}(random_);
      slot_.erase(held_[slot]);
      held_[slot] = number;
    }
    slot_[number] = slot;
    return false;
  }

  std::size_t capacity_;
  Replacement replacement_;
  std::list<std::uint32_t> order_;  // lru: newest first
  std::unordered_map<std::uint32_t, std::list<std::uint32_t>::iterator> where_;
  std::vector<std::uint32_t> held_;  // random
  std::unordered_map<std::uint32_t, std::size_t> slot_;
  std::mt19937_64 random_;
};

}  // namespace qpcast::hw::emulated
