/// A peer on another node, driven over the exchange; and the server's side of it.
///
/// A command is one JSON object with a "do" member, the answer one object with "ok" or "error".
/// The server runs nothing but the commands of Peer, each bounded by the limits below.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hw/exchange/dialogue.hpp"
#include "hw/experiments/peer.hpp"

namespace qpcast::hw {

/// What a server opens for a client, at most.
inline constexpr std::uint32_t most_queue_pairs = 4096;
inline constexpr std::uint32_t deepest_queue = 32768;
inline constexpr std::uint64_t largest_region = std::uint64_t{1} << 30;

class RemotePeer final : public Peer {
 public:
  RemotePeer(Dialogue& exchange, Patience patience) : exchange_{exchange}, patience_{patience} {}
  std::vector<Address> open(const LinkSpec& spec, std::span<const Address> ours) override;
  void clear() override;
  std::optional<std::uint64_t> check(std::uint64_t seed, const PayloadShape& shape) override;
  void start_echo() override;
  void stop_echo() override;
  void close() override;
  /// Tells the server that the run is over.
  void finish();

 private:
  nlohmann::json ask(const nlohmann::json& command);
  Dialogue& exchange_;
  Patience patience_;
};

/// Serves one client until it finishes. `idle` is how long it may say nothing.
/// @throws ExchangeError when the client goes away or speaks another language
void serve_peer(Dialogue& exchange, Peer& local, Patience idle);

}  // namespace qpcast::hw
