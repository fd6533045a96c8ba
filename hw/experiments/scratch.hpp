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
  std::vector<nlohmann::json> rows() const { return lines_of("qpcast.measurement/1"); }
  /// Notes on single points (scenarios/io/run_notes.hpp).
  std::vector<nlohmann::json> point_notes() const { return lines_of("qpcast.point/1"); }
  std::vector<nlohmann::json> plan_notes() const { return lines_of("qpcast.plan/1"); }

 private:
  std::vector<nlohmann::json> lines_of(const std::string& schema) const {
    std::vector<nlohmann::json> all;
    std::ifstream in{file()};
    for (std::string line; std::getline(in, line);)
      if (auto value = nlohmann::json::parse(line); value["schema"] == schema)
        all.push_back(std::move(value));
    return all;
  }
  std::string path_;
};

}  // namespace qpcast::hw
