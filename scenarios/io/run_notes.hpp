/// Notes of a run, as lines of its JSONL file between the rows.
///
///   {"schema":"qpcast.plan/1","platform":...,"plan":...,"rows":[ids]}
///   {"schema":"qpcast.point/1","outcome":"failed"|"skipped","rows":[ids],"reason":...}
///
/// They are no rows: whoever reads measurements passes over them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/run_notes.hpp"

namespace qpcast::io {

/// A note as a line, without the newline.
std::string to_json_line(const PlanNote& note);
std::string to_json_line(const PointNote& note);

/// Adds a parsed line to the notes if it is one. `source` is "file:line", for messages.
/// @return false for a line of any other schema
/// @throws InputError for a note that is malformed
bool take_note(const nlohmann::json& line, const std::string& source, RunNotes& notes);

}  // namespace qpcast::io
