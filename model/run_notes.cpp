#include "model/run_notes.hpp"

#include <algorithm>

namespace qpcast {

namespace {

/// The note's rows that are asked for and not there.
std::vector<std::string> missing_of(const PointNote& note, const std::set<std::string>& missing) {
  std::vector<std::string> found;
  std::ranges::copy_if(note.rows, std::back_inserter(found),
                       [&](const std::string& id) { return missing.contains(id); });
  return found;
}

}  // namespace

Completeness completeness(const RunNotes& notes, const std::set<std::string>& ids) {
  Completeness c;
  std::set<std::string> asked, names;
  for (const auto& plan : notes.plans) {
    asked.insert(plan.rows.begin(), plan.rows.end());
    if (names.insert(plan.plan).second) c.plans += (c.plans.empty() ? "" : ", ") + plan.plan;
  }
  std::set<std::string> missing;
  std::ranges::set_difference(asked, ids, std::inserter(missing, missing.end()));
  for (const auto& point : notes.points)
    if (point.outcome == PointNote::Outcome::skipped)
      for (const auto& id : missing_of(point, missing)) {
        missing.erase(id);
        asked.erase(id);
      }
  std::set<std::string> failed;
  for (const auto& point : notes.points) {
    if (point.outcome != PointNote::Outcome::failed) continue;
    const auto rows = missing_of(point, missing);
    if (!rows.empty() && failed.empty()) c.first_reason = point.reason;
    failed.insert(rows.begin(), rows.end());
  }
  c.asked = asked.size();
  c.missing = missing.size();
  c.failed = failed.size();
  return c;
}

}  // namespace qpcast
