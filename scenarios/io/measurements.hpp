/// Measurements from and to files: the published CSV form, and JSONL with the whole schema.
///
/// CSV columns: id, platform, subject, config, baseline, metric, stat, value, lo, hi, unit,
/// section, note (RFC 4180 quoting). JSONL: one object a line, "schema": "qpcast.measurement/1";
/// notes of a run (run_notes.hpp) may stand between the rows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.hpp"
#include "model/run_notes.hpp"

namespace qpcast::io {

/// Reads a file by its extension, .csv or .jsonl.
/// @throws InputError with file, line and field: missing column, bad number, unknown key, a unit
///         that is not the metric's, duplicate id, not UTF-8, truncated JSON, no rows
std::vector<Measurement> read_measurements(const std::filesystem::path& path);

/// A file of rows with what it says of the run that they come from.
struct MeasurementFile {
  std::vector<Measurement> rows;
  RunNotes notes;  ///< a CSV file has none
};
/// The same with the notes. @throws InputError as above
MeasurementFile read_measurement_file(const std::filesystem::path& path);

/// One row as a JSONL line, without the newline.
std::string to_json_line(const Measurement& row);
/// The reverse. `line` is for error messages.
Measurement from_json_line(const std::string& text, const std::string& source, std::size_t line);
/// The same where the line may be a note, which is added to `notes`. @return nothing for a note
std::optional<Measurement> from_json_line(const std::string& text, const std::string& source,
                                          std::size_t line, RunNotes& notes);

/// Rows in the published CSV form, header included. Passes, spread and environment have no column.
std::string to_csv(const std::vector<Measurement>& rows);

/// One CSV field, quoted if it must be.
std::string csv_field(const std::string& text);

}  // namespace qpcast::io
