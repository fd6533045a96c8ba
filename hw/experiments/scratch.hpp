/// For tests: a folder with a row file in it, gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace qpcast::hw {

class Scratch {
 public:
  Scratch() : path_{std::filesystem::temp_directory_path() / "qpcast-rows-XXXXXX"} {
    if (!::mkdtemp(path_.data())) throw std::runtime_error{"mkdtemp"};
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file() const { return path_ + "/run.jsonl"; }
  std::vector<nlohmann::json> rows() const {
    std::vector<nlohmann::json> all;
    std::ifstream in{file()};
    for (std::string line; std::getline(in, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }

 private:
  std::string path_;
};

}  // namespace qpcast::hw
