#include "scenarios/io/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "model/error.hpp"

namespace qpcast::io {

namespace {

/// Length of the UTF-8 sequence at `at`, or 0 when it is not one.
std::size_t sequence_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(at + k) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  const unsigned char second = length > 1 ? byte(at + 1) : 0;
  const bool bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
                   (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90);
  return bad ? 0 : length;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_{fd} {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  throw InputError{path.string(), "", std::string{what} + ": " + std::strerror(errno)};
}

}  // namespace

void require_utf8(const std::string& text, const std::string& source) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = sequence_length(text, at);
    if (length == 0) {
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
      throw InputError{source, static_cast<std::size_t>(line), "", "not UTF-8 text"};
    }
    at += length;
  }
}

std::string read_text(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) throw InputError{path.string(), "", "is a directory"};
  std::ifstream in{path, std::ios::binary};
  if (!in) fail(path, "cannot read");
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  require_utf8(text, path.string());
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte-order mark says nothing
  return text;
}

void write_atomically(const std::filesystem::path& path, const std::string& text) {
  auto beside = path;
  beside += ".tmp" + std::to_string(::getpid());
  const Descriptor file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
  if (file.get() < 0) fail(path, "cannot write");
  std::size_t done = 0;
  while (done < text.size()) {
    const auto n = ::write(file.get(), text.data() + done, text.size() - done);
    if (n < 0) {
      if (errno == EINTR) continue;
      ::unlink(beside.c_str());
      fail(path, "cannot write");
    }
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(file.get()) != 0) {
    ::unlink(beside.c_str());
    fail(path, "cannot write");
  }
  replace_file(beside, path);
}

void replace_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    const int reason = errno;
    ::unlink(from.c_str());
    errno = reason;
    fail(to, "cannot write");
  }
  const auto folder = to.has_parent_path() ? to.parent_path() : std::filesystem::path{"."};
  const Descriptor directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.get() >= 0) ::fsync(directory.get());  // best effort: some file systems refuse
}

}  // namespace qpcast::io
