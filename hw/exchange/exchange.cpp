#include "hw/exchange/exchange.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "hw/interrupted.hpp"

namespace qpcast::hw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view magic = "QPCAST/1";

[[noreturn]] void fail(const std::string& where, std::string_view call, const std::string& why) {
  throw ExchangeError{fmt::format("exchange with {}: {}: {}", where, call, why)};
}

[[noreturn]] void fail_errno(const std::string& where, std::string_view call, int code) {
  fail(where, call, std::strerror(code));  // NOLINT(concurrency-mt-unsafe)
}

/// When a call must have finished, and the flag that ends it early.
struct Deadline {
  explicit Deadline(const Patience& patience)
      : at{Clock::now() + patience.time}, interrupted{patience.interrupted} {}
  std::chrono::milliseconds left() const {
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(at - Clock::now());
    return std::max(time, std::chrono::milliseconds{0});
  }
  Clock::time_point at;
  const std::atomic<bool>* interrupted;
};

void wait_ready(int descriptor, short events, const Deadline& deadline, const std::string& peer,
                std::string_view call) {
  constexpr std::chrono::milliseconds slice{100};  // between two looks at the flag
  pollfd poller{descriptor, events, 0};
  for (;;) {
    if (deadline.interrupted && deadline.interrupted->load()) throw Interrupted{};
    const auto left = deadline.left();
    const int ready = ::poll(&poller, 1, static_cast<int>(std::min(left, slice).count()));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) fail_errno(peer, "poll", errno);
    if (ready == 0 && left <= slice && deadline.left().count() == 0)
      fail(peer, call, "no answer within the deadline; is the other end running?");
  }
}

void write_all(int descriptor, std::string_view bytes, const Deadline& deadline,
               const std::string& peer) {
  while (!bytes.empty()) {
    const auto sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      wait_ready(descriptor, POLLOUT, deadline, peer, "send");
    } else {
      fail_errno(peer, "send", errno);
    }
  }
}

void read_all(int descriptor, char* bytes, std::size_t size, const Deadline& deadline,
              const std::string& peer) {
  while (size > 0) {
    wait_ready(descriptor, POLLIN, deadline, peer, "receive");
    const auto got = ::recv(descriptor, bytes, size, MSG_DONTWAIT);
    if (got == 0) fail(peer, "receive", "the peer closed the connection");
    if (got < 0 && errno != EAGAIN && errno != EINTR) fail_errno(peer, "receive", errno);
    if (got > 0) {
      bytes += got;
      size -= static_cast<std::size_t>(got);
    }
  }
}

void write_message(int descriptor, std::string_view message, const Deadline& deadline,
                   const std::string& peer) {
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(message.size()));
  std::string framed(sizeof length, '\0');
  std::memcpy(framed.data(), &length, sizeof length);
  framed += message;
  write_all(descriptor, framed, deadline, peer);
}

std::string read_message(int descriptor, std::size_t largest, const Deadline& deadline,
                         const std::string& peer) {
  std::uint32_t length = 0;
  std::array<char, sizeof length> header{};
  read_all(descriptor, header.data(), header.size(), deadline, peer);
  std::memcpy(&length, header.data(), sizeof length);
  length = ntohl(length);
  if (length > largest)
    fail(peer, "receive",
         fmt::format("a message of {} bytes; at most {} is right", length, largest));
  std::string message(length, '\0');
  read_all(descriptor, message.data(), length, deadline, peer);
  return message;
}

/// Takes as long for a wrong token as for the right one.
bool same_token(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char c = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(expected[i]);
  }
  return difference == 0;
}

struct AddressDeleter {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};

std::unique_ptr<addrinfo, AddressDeleter> resolve(const Endpoint& endpoint, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (code != 0) fail(endpoint.host, "getaddrinfo", gai_strerror(code));
  return std::unique_ptr<addrinfo, AddressDeleter>{found};
}

std::string name_of(const Endpoint& endpoint) {
  return fmt::format("{}:{}", endpoint.host, endpoint.port);
}

void no_delay(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Exchange Exchange::connect(const Endpoint& server, std::string_view token, Patience patience) {
  const Deadline deadline{patience};
  const auto name = name_of(server);
  const auto address = resolve(server, 0);
  for (;;) {
    Socket socket{::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (socket.get() < 0) fail_errno(name, "socket", errno);
    if (::connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0) {
      no_delay(socket.get());
      write_message(socket.get(), magic, deadline, name);
      write_message(socket.get(), token, deadline, name);
      if (read_message(socket.get(), magic.size(), deadline, name) != magic)
        fail(name, "connect", "the other end is no qpcast server of this version");
      return Exchange{std::move(socket), name};
    }
    if (errno != ECONNREFUSED || deadline.left().count() == 0) fail_errno(name, "connect", errno);
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
}

void Exchange::send(std::string_view message, Patience patience) {
  if (message.size() > largest_message)
    fail(peer_, "send", fmt::format("{} bytes; at most {}", message.size(), largest_message));
  write_message(socket_.get(), message, Deadline{patience}, peer_);
}

std::string Exchange::receive(Patience patience) {
  return read_message(socket_.get(), largest_message, Deadline{patience}, peer_);
}

void Exchange::meet(std::string_view step, Patience patience) {
  const auto theirs = trade(step, patience);
  if (theirs != step)
    fail(peer_, "meet",
         fmt::format("we are at '{}', the peer is at '{}'; same plan and version?", step, theirs));
}

Listener::Listener(const Endpoint& at) {
  const auto address = resolve(at, AI_PASSIVE);
  socket_ = Socket{::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto name = name_of(at);
  if (socket_.get() < 0) fail_errno(name, "socket", errno);
  const int on = 1;
  setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket_.get(), address->ai_addr, address->ai_addrlen) != 0)
    fail(name, "bind",
         fmt::format("{}; give an address of this machine and a free port (-p)",
                     std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
  if (::listen(socket_.get(), 1) != 0) fail_errno(name, "listen", errno);
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0)
    fail_errno(name, "getsockname", errno);
  port_ = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                            : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

Exchange Listener::accept(std::string_view token, Patience patience) {
  const Deadline deadline{patience};
  for (;;) {
    wait_ready(socket_.get(), POLLIN, deadline, "any peer", "accept");
    Socket peer{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (peer.get() < 0) continue;
    no_delay(peer.get());
    try {
      // A stranger gets two seconds to introduce itself, so that it cannot hold the door.
      const auto time = std::min(deadline.left(), std::chrono::milliseconds{2000});
      const Deadline greeting{{time, patience.interrupted}};
      const bool ours = read_message(peer.get(), magic.size(), greeting, "a new peer") == magic;
      if (ours &&
          same_token(read_message(peer.get(), Exchange::largest_token, greeting, "a new peer"),
                     token)) {
        write_message(peer.get(), magic, deadline, "the peer");
        socket_ = Socket{};
        return Exchange{std::move(peer), "the client"};
      }
    } catch (const ExchangeError&) {
      // Not our peer; the next one may be.
    }
  }
}

std::string random_token() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

}  // namespace qpcast::hw
