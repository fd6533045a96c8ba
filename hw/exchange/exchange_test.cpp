#include "hw/exchange/exchange.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <future>

#include "hw/interrupted.hpp"

using namespace qpcast::hw;
using namespace std::chrono_literals;

namespace {

constexpr auto soon = 5s;

/// A peer that speaks TCP but not our protocol.
class Stranger {
 public:
  explicit Stranger(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  void say(std::string_view bytes) {
    REQUIRE(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0);
  }

 private:
  Socket socket_;
};

struct Pair {
  Exchange server, client;
};

Pair connected() {
  Listener listener{{"127.0.0.1", 0}};
  const Endpoint at{"127.0.0.1", listener.port()};
  auto client =
      std::async(std::launch::async, [&] { return Exchange::connect(at, "secret", soon); });
  auto server = listener.accept("secret", soon);
  return {std::move(server), client.get()};
}

}  // namespace

TEST_CASE("messages of every allowed size arrive unchanged") {
  auto [server, client] = connected();
  for (const std::size_t size : {0UL, 1UL, 4096UL, Exchange::largest_message}) {
    std::string message(size, 'x');
    for (std::size_t i = 0; i < size; ++i) message[i] = static_cast<char>(i * 31);
    auto sending = std::async(std::launch::async, [&] { client.send(message, soon); });
    CHECK(server.receive(soon) == message);
    sending.get();
  }
  CHECK_THROWS_WITH(client.send(std::string(Exchange::largest_message + 1, 'x'), soon),
                    Catch::Contains("at most 65536"));
}

TEST_CASE("strangers, wrong tokens and absurd lengths are turned away; the peer still gets in") {
  Listener listener{{"127.0.0.1", 0}};
  const Endpoint at{"127.0.0.1", listener.port()};
  auto accepted = std::async(std::launch::async, [&] { return listener.accept("secret", soon); });
  Stranger huge{at.port};
  huge.say(
      std::string_view{"\xff\xff\xff\xff"
                       "GET / HTTP/1.0\r\n\r\n",
                       22});
  for (const auto* wrong : {"", "secre", "secrets", "Secret"})
    CHECK_THROWS_AS(Exchange::connect(at, wrong, soon), ExchangeError);
  auto client = Exchange::connect(at, "secret", soon);
  auto server = accepted.get();
  client.send("hello", soon);
  CHECK(server.receive(soon) == "hello");
}

TEST_CASE("one peer only: the server stops listening once it has it") {
  Listener listener{{"127.0.0.1", 0}};
  const Endpoint at{"127.0.0.1", listener.port()};
  auto accepted = std::async(std::launch::async, [&] { return listener.accept("secret", soon); });
  auto client = Exchange::connect(at, "secret", soon);
  auto server = accepted.get();
  CHECK_THROWS_WITH(Exchange::connect(at, "secret", 100ms), Catch::Contains("refused"));
}

TEST_CASE("a peer that dies, stays silent or is at another step is an error, not a hang") {
  SECTION("dies") {
    auto pair = std::make_unique<Pair>(connected());
    { const auto gone = std::move(pair->client); }
    CHECK_THROWS_WITH(pair->server.receive(soon), Catch::Contains("closed the connection"));
  }
  SECTION("silent") {
    auto [server, client] = connected();
    CHECK_THROWS_WITH(server.receive(50ms), Catch::Contains("deadline"));
  }
  SECTION("nobody comes") {
    Listener listener{{"127.0.0.1", 0}};
    CHECK_THROWS_WITH(listener.accept("secret", 50ms), Catch::Contains("deadline"));
  }
  SECTION("interrupted") {
    Listener listener{{"127.0.0.1", 0}};
    std::atomic<bool> interrupted{false};
    auto waiting = std::async(std::launch::async, [&] {
      return listener.accept("secret", Patience{std::chrono::hours{1}, &interrupted});
    });
    interrupted = true;
    CHECK_THROWS_AS(waiting.get(), Interrupted);
  }
  SECTION("another step") {
    auto [server, client] = connected();
    client.send("batching", soon);
    CHECK_THROWS_WITH(server.meet("inline", soon), Catch::Contains("'batching'"));
  }
}

TEST_CASE("an address that is not ours is refused with advice") {
  CHECK_THROWS_WITH((Listener{{"192.0.2.1", 0}}), Catch::Contains("address of this machine"));
}
