/// The executable as the CLI's tests run it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "scenarios/io/text_file.hpp"

namespace qpcast::cli_test {

struct Outcome {
  int status;
  std::string out, err;
};

/// A folder of this process that is gone at its end.
class Scratch {
 public:
  Scratch()
      : path_{std::filesystem::temp_directory_path() /
              ("qpcast-cli-" + std::to_string(::getpid()))} {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline const Scratch scratch;

inline Outcome run(const std::string& arguments) {
  const auto out = scratch / "out", err = scratch / "err";
  const auto command =
      std::string{QPCAST_EXECUTABLE} + " " + arguments + " >" + out.string() + " 2>" + err.string();
  const int raw = std::system(command.c_str());  // NOLINT: a test's own words
  REQUIRE(WIFEXITED(raw));
  return {WEXITSTATUS(raw), io::read_text(out), io::read_text(err)};
}

}  // namespace qpcast::cli_test
