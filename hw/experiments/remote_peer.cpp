#include "hw/experiments/remote_peer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/error.hpp"

namespace qpcast::hw {

using nlohmann::json;

namespace {

json to_json(const Address& a) {
  return json::array({a.qp_number, a.packet_number, a.lid, a.mtu_code, a.gid, a.region_address,
                      a.region_bytes, a.region_key});
}

Address address_from(const json& j) {
  if (!j.is_array() || j.size() != 8)
    throw InputError{"exchange", "address", "an array of 8 members is right"};
  return {j[0].get<std::uint32_t>(),
          j[1].get<std::uint32_t>(),
          j[2].get<std::uint16_t>(),
          j[3].get<std::uint16_t>(),
          j[4].get<std::array<std::uint8_t, 16>>(),
          j[5].get<std::uint64_t>(),
          j[6].get<std::uint64_t>(),
          j[7].get<std::uint32_t>()};
}

/// Addresses of many queue pairs outgrow one message; they travel in lots.
constexpr std::size_t lot = 256;

json addresses_to_json(std::span<const Address> addresses) {
  auto list = json::array();
  for (const auto& address : addresses) list.push_back(to_json(address));
  return list;
}

std::uint64_t bounded(const json& command, const char* name, std::uint64_t most) {
  const auto value = command.at(name).get<std::uint64_t>();
  if (value == 0 || value > most)
    throw InputError{"exchange", name, fmt::format("{}: from 1 to {}", value, most)};
  return value;
}

LinkSpec spec_from(const json& j) {
  LinkSpec spec;
  spec.qps = static_cast<std::uint32_t>(bounded(j, "qps", most_queue_pairs));
  spec.depth = static_cast<std::uint32_t>(bounded(j, "depth", deepest_queue));
  spec.region_bytes = bounded(j, "region_bytes", largest_region);
  spec.largest_inline = j.at("largest_inline").get<std::uint32_t>();
  spec.proxy = j.at("proxy").get<bool>();
  return spec;
}

/// The server's memory of an `open` that arrives in lots.
struct Serving {
  Peer& local;
  std::vector<Address> theirs, ours;
};

json perform(Serving& serving, const json& command) {
  const auto what = command.at("do").get<std::string>();
  if (what == "addresses") {
    for (const auto& address : command.at("list")) serving.theirs.push_back(address_from(address));
    if (serving.theirs.size() > most_queue_pairs)
      throw InputError{"exchange", "addresses", fmt::format("more than {}", most_queue_pairs)};
  } else if (what == "open") {
    const auto spec = spec_from(command);
    const auto theirs = std::exchange(serving.theirs, {});
    if (theirs.size() != spec.qps)
      throw InputError{"exchange", "open",
                       fmt::format("{} addresses for {} queue pairs", theirs.size(), spec.qps)};
    serving.ours = serving.local.open(spec, theirs);
  } else if (what == "fetch") {
    const auto from = std::min(command.at("from").get<std::size_t>(), serving.ours.size());
    const auto count = std::min(lot, serving.ours.size() - from);
    return {{"ok", true},
            {"list", addresses_to_json(std::span{serving.ours}.subspan(from, count))}};
  } else if (what == "clear") {
    serving.local.clear();
  } else if (what == "check") {
    const auto wrong = serving.local.check(
        command.at("seed").get<std::uint64_t>(),
        {command.at("slots").get<std::uint64_t>(), bounded(command, "stride", largest_region),
         command.at("payload").get<std::uint64_t>()});
    return {{"ok", true}, {"wrong", wrong ? json(*wrong) : json()}};
  } else if (what == "start-echo") {
    serving.local.start_echo();
  } else if (what == "stop-echo") {
    serving.local.stop_echo();
  } else if (what == "close") {
    serving.local.close();
  } else {
    throw InputError{"exchange", "do", fmt::format("unknown command '{}'", what)};
  }
  return {{"ok", true}};
}

}  // namespace

json RemotePeer::ask(const json& command) {
  const auto answer = json::parse(exchange_.trade(command.dump(), patience_), nullptr, false);
  if (answer.is_discarded() || !answer.is_object())
    throw ExchangeError{"exchange: the peer's answer is no JSON object"};
  if (!answer.contains("error")) return answer;
  const auto error = answer["error"].get<std::string>();
  if (answer.value("transport", false))
    throw TransportError{"the peer", command.at("do").get<std::string>(), 0, error};
  throw ExchangeError{"the peer: " + error};
}

std::vector<Address> RemotePeer::open(const LinkSpec& spec, std::span<const Address> ours) {
  for (std::size_t from = 0; from < ours.size(); from += lot)
    ask({{"do", "addresses"},
         {"list", addresses_to_json(ours.subspan(from, std::min(lot, ours.size() - from)))}});
  ask({{"do", "open"},
       {"qps", spec.qps},
       {"depth", spec.depth},
       {"region_bytes", spec.region_bytes},
       {"largest_inline", spec.largest_inline},
       {"proxy", spec.proxy}});
  std::vector<Address> theirs;
  while (theirs.size() < ours.size()) {
    const auto answer = ask({{"do", "fetch"}, {"from", theirs.size()}});
    if (answer.at("list").empty()) throw ExchangeError{"the peer: fewer queue pairs than ours"};
    for (const auto& address : answer.at("list")) theirs.push_back(address_from(address));
  }
  return theirs;
}

void RemotePeer::clear() { ask({{"do", "clear"}}); }

std::optional<std::uint64_t> RemotePeer::check(std::uint64_t seed, const PayloadShape& shape) {
  const auto answer = ask({{"do", "check"},
                           {"seed", seed},
                           {"slots", shape.slots},
                           {"stride", shape.stride},
                           {"payload", shape.payload}});
  if (answer.at("wrong").is_null()) return std::nullopt;
  return answer["wrong"].get<std::uint64_t>();
}

void RemotePeer::start_echo() { ask({{"do", "start-echo"}}); }
void RemotePeer::stop_echo() { ask({{"do", "stop-echo"}}); }
void RemotePeer::close() { ask({{"do", "close"}}); }
void RemotePeer::finish() { exchange_.send(json{{"do", "finish"}}.dump(), patience_); }

void serve_peer(Dialogue& exchange, Peer& local, Patience idle) {
  Serving serving{local, {}, {}};
  for (;;) {
    const auto command = json::parse(exchange.receive(idle), nullptr, false);
    if (command.is_discarded() || !command.is_object())
      throw ExchangeError{"exchange: the client's command is no JSON object"};
    if (command.value("do", "") == "finish") return;
    json answer;
    try {
      answer = perform(serving, command);
    } catch (const json::exception& error) {
      answer = {{"error", std::string{"malformed command: "} + error.what()}};
    } catch (const TransportError& error) {
      answer = {{"error", error.what()}, {"transport", true}};
    } catch (const std::runtime_error& error) {
      answer = {{"error", error.what()}};
    }
    exchange.send(answer.dump(), idle);
  }
}

}  // namespace qpcast::hw
