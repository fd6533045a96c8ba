/// What the file of a run says beside its rows: which rows the plan asks for, and which points came
/// to nothing. From it a reader can tell a run that finished from one that did not.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace qpcast {

/// A plan that was begun.
struct PlanNote {
  std::string platform;           ///< name in the rows
  std::string source;             ///< of the rows: emulated, verbs, mlx5; empty: not said
  std::string nic;                ///< device; empty: not said
  std::string plan;               ///< "quick", "full", "hold-out, seed 7", ...
  std::vector<std::string> rows;  ///< ids of the rows that it asks for

  bool operator==(const PlanNote&) const = default;
};

/// A point that has no rows.
struct PointNote {
  enum class Outcome : std::uint8_t {
    failed,   ///< a fault of the transport ended it; a run that resumes tries it again
    skipped,  ///< this machine cannot measure it as the layout asks
  };
  Outcome outcome = Outcome::failed;
  std::vector<std::string> rows;  ///< ids of the rows that it would have become
  std::string reason;             ///< one line

  bool operator==(const PointNote&) const = default;
};

/// All notes of a file.
struct RunNotes {
  std::vector<PlanNote> plans;    ///< in the order in which they were begun
  std::vector<PointNote> points;  ///< in the order in which they came to nothing
};

/// How much of what its plans ask for a file has.
struct Completeness {
  std::string plans;         ///< names, separated by commas; empty: the file says nothing of plans
  std::size_t asked = 0;     ///< rows, without those of skipped points
  std::size_t missing = 0;   ///< of them
  std::size_t failed = 0;    ///< of the missing: rows of points that failed
  std::string first_reason;  ///< why the first of the failed points did
};
/// @param ids  of the rows that are there
Completeness completeness(const RunNotes& notes, const std::set<std::string>& ids);

}  // namespace qpcast
