/// An exchange's result on its way from the simulation's process.
#include <cstring>
#include <type_traits>

#include "model/simgrid/exchange.hpp"

namespace qpcast::simgrid {

std::string to_bytes(const ExchangeResult& r) {
  std::string out;
  const auto put = [&](const auto& value) {
    static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(value)>>);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(r.ranks.size());
  for (const auto& rank : r.ranks) put(rank);
  put(r.links.size());
  for (const auto& link : r.links) {
    put(link.busy);
    put(link.name.size());
    out += link.name;
  }
  put(r.doorbells);
  put(r.misses);
  put(r.wire_bytes);
  put(r.latency);
  return out;
}

ExchangeResult exchange_from_bytes(const std::string& bytes) {
  ExchangeResult r;
  std::size_t at = 0;
  const auto get = [&](auto& value) {
    std::memcpy(static_cast<void*>(&value), bytes.data() + at, sizeof value);
    at += sizeof value;
  };
  std::size_t count = 0;
  get(count);
  r.ranks.resize(count);
  for (auto& rank : r.ranks) get(rank);
  get(count);
  r.links.resize(count);
  for (auto& link : r.links) {
    get(link.busy);
    get(count);
    link.name = bytes.substr(at, count);
    at += count;
  }
  get(r.doorbells);
  get(r.misses);
  get(r.wire_bytes);
  get(r.latency);
  return r;
}

}  // namespace qpcast::simgrid
