#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <exception>
#include <thread>

#include "hw/exchange/ranks.hpp"
#include "hw/interrupted.hpp"

namespace qpcast::hw {

namespace {

constexpr int tag = 0;

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw ExchangeError{fmt::format("exchange over MPI: {}: {}", call,
                                  std::string_view{text.data(), static_cast<std::size_t>(length)})};
}

/// Asks `done` until it says so. Sleeps in between: the other end may be measuring.
template <class Done>
void until(const Patience& patience, int peer, const char* call, Done done) {
  constexpr std::chrono::microseconds pause{200};
  const auto end = std::chrono::steady_clock::now() + patience.time;
  while (!done()) {
    if (patience.interrupted && patience.interrupted->load()) throw Interrupted{};
    if (std::chrono::steady_clock::now() > end)
      throw ExchangeError{fmt::format(
          "exchange with rank {}: {}: no answer within the deadline; is it running?", peer, call)};
    std::this_thread::sleep_for(pause);
  }
}

class MpiDialogue final : public Dialogue {
 public:
  explicit MpiDialogue(int peer) : peer_{peer} {}

  void send(std::string_view message, Patience patience) override {
    if (message.size() > largest_message)
      throw ExchangeError{
          fmt::format("exchange with rank {}: a message of {} bytes; at most {} is "
                      "right",
                      peer_, message.size(), largest_message)};
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, peer_, tag,
                    MPI_COMM_WORLD, &request),
          "MPI_Isend");
    try {
      until(patience, peer_, "send", [&] {
        int done = 0;
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        return done != 0;
      });
    } catch (...) {
      if (request != MPI_REQUEST_NULL) {  // the message's memory is the caller's
        MPI_Cancel(&request);
        MPI_Request_free(&request);
      }
      throw;
    }
  }

  std::string receive(Patience patience) override {
    MPI_Status status{};
    until(patience, peer_, "receive", [&] {
      int there = 0;
      check(MPI_Iprobe(peer_, tag, MPI_COMM_WORLD, &there, &status), "MPI_Iprobe");
      return there != 0;
    });
    int size = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    if (size < 0 || static_cast<std::size_t>(size) > largest_message)
      throw ExchangeError{
          fmt::format("exchange with rank {}: a message of {} bytes; at most {} is "
                      "right",
                      peer_, size, largest_message)};
    std::string message(static_cast<std::size_t>(size), '\0');
    check(MPI_Recv(message.data(), size, MPI_BYTE, peer_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          "MPI_Recv");
    return message;
  }

 private:
  int peer_;
};

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &count_), "MPI_Comm_size");
  }
  ~MpiRanks() override {
    if (std::uncaught_exceptions() == exceptions_) MPI_Finalize();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::unique_ptr<Dialogue> with(int rank) override { return std::make_unique<MpiDialogue>(rank); }

 private:
  int exceptions_ = std::uncaught_exceptions();
  int rank_ = 0, count_ = 1;
};

}  // namespace

}  // namespace qpcast::hw

extern "C" qpcast::hw::Ranks* qpcast_join_ranks() { return new qpcast::hw::MpiRanks; }
