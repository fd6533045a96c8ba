/// SimGrid's engine, as every simulation here starts it: silent, one per process.
#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace qpcast::simgrid {

/// @param settings  SimGrid's own, "name:value"
inline std::unique_ptr<::simgrid::s4u::Engine> start_engine(
    const std::vector<std::string>& settings = {}) {
  std::vector<std::string> words{"qpcast", "--log=root.thres:critical"};
  for (const auto& setting : settings) words.push_back("--cfg=" + setting);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  return std::make_unique<::simgrid::s4u::Engine>(&count, arguments.data());
}

}  // namespace qpcast::simgrid
