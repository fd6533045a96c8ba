#include "model/simgrid/process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

#include "model/error.hpp"

namespace qpcast::simgrid {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_{fd} {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const auto n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the parent is gone
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

std::string read_all(int fd) {
  std::string all;
  std::array<char, 65536> block{};
  while (true) {
    const auto n = ::read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    all.append(block.data(), static_cast<std::size_t>(n));
  }
}

constexpr char good = 'r', bad = 'e';
constexpr unsigned first_inherited = STDERR_FILENO + 1;

/// An orphan must neither run on nor hold what its parent had locked.
void stand_alone(int out) {
  const auto keep = static_cast<unsigned>(out);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (keep > first_inherited) ::close_range(first_inherited, keep - 1, 0);
  ::close_range(keep + 1, ~0U, 0);
}

[[noreturn]] void child(int out, const std::function<std::string()>& body) {
  stand_alone(out);
  try {
    const auto result = body();
    write_all(out, &good, 1);
    write_all(out, result.data(), result.size());
  } catch (const std::exception& error) {
    write_all(out, &bad, 1);
    write_all(out, error.what(), std::strlen(error.what()));
  }
  _exit(0);
}

/// Already carries its source and key; only the type is to be restored.
class CarriedError : public InputError {
 public:
  explicit CarriedError(const std::string& what) : InputError{"simulation", "", what} {}
};

}  // namespace

std::string bytes_from_process(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe to a simulation"};
  Descriptor in{ends[0]}, out{ends[1]};
  const auto pid = ::fork();
  if (pid < 0) throw std::system_error{errno, std::generic_category(), "process of a simulation"};
  if (pid == 0) child(out.get(), body);
  out.close();
  const auto answer = read_all(in.get());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (whole && !answer.empty() && answer[0] == good) return answer.substr(1);
  if (!answer.empty() && answer[0] == bad) throw CarriedError{answer.substr(1)};
  throw std::runtime_error{"a simulation's process ended by signal " +
                           std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0)};
}

}  // namespace qpcast::simgrid
