/// The out-of-band exchange of two nodes: one TCP connection over which the ends trade queue pair
/// addresses and meet between experiments.
///
/// A server binds exactly the address it is given (127.0.0.1 unless told otherwise), accepts one
/// peer that knows the token, and stops listening. A message is a 4-byte big-endian length and
/// that many bytes; a length above `largest_message` closes the connection. Every call has a
/// deadline. Errors: ExchangeError, which names the call and the other end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "hw/exchange/dialogue.hpp"

namespace qpcast::hw {

/// A file descriptor that closes itself.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_{descriptor} {}
  Socket(Socket&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// Where a server listens or a client connects: perftest's `-p` and the positional host.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 18515;  ///< perftest's default; 0 lets the system choose
};

/// An established connection to the one peer.
class Exchange final : public Dialogue {
 public:
  static constexpr std::size_t largest_token = 256;

  /// Connects to a server. Retries while it refuses, until the deadline.
  static Exchange connect(const Endpoint& server, std::string_view token, Patience patience);

  void send(std::string_view message, Patience patience) override;
  std::string receive(Patience patience) override;
  /// Both ends are here, and at the same step; a peer at another step is an error.
  void meet(std::string_view step, Patience patience);

 private:
  friend class Listener;
  Exchange(Socket socket, std::string peer) : socket_{std::move(socket)}, peer_{std::move(peer)} {}
  Socket socket_;
  std::string peer_;
};

/// The listening half of a server.
class Listener {
 public:
  /// Binds and listens. @throws ExchangeError when the address is not this machine's
  explicit Listener(const Endpoint& at);
  std::uint16_t port() const { return port_; }
  /// Waits for the peer that knows the token; others are turned away, and waiting goes on.
  /// Stops listening when it returns.
  Exchange accept(std::string_view token, Patience patience);

 private:
  Socket socket_;
  std::uint16_t port_ = 0;
};

/// A token for `--server` to print: 128 random bits in hexadecimal.
std::string random_token();

}  // namespace qpcast::hw
