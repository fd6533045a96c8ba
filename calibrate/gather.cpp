#include "calibrate/gather.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "model/error.hpp"

namespace qpcast::calibrate {

std::vector<Measurement> gather(const std::vector<FileRows>& files) {
  std::map<std::pair<std::string, std::string>, std::string> where;  // platform and id to file
  std::map<std::string, std::set<std::string>> platforms;            // by id
  std::vector<Measurement> all;
  for (const auto& [file, rows] : files)
    for (const auto& row : rows) {
      if (const auto [it, fresh] = where.emplace(std::pair{row.platform, row.id}, file); !fresh)
        throw InputError{
            file, "id",
            fmt::format("'{}' of platform {} is also in {}", row.id, row.platform, it->second)};
      platforms[row.id].insert(row.platform);
      all.push_back(row);
    }
  for (auto& row : all)
    if (platforms[row.id].size() > 1) row.id = row.platform + "/" + row.id;
  return all;
}

}  // namespace qpcast::calibrate
