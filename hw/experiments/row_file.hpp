/// The rows of a run: a JSONL file (scenarios/io/measurements.hpp) to which finished rows are
/// appended, each synced to disk.
///
/// A run may be killed at any byte; the next one continues. A torn last line is cut off, rows that
/// are there are kept and not measured again. One process writes a file at a time. Notes of the run
/// (scenarios/io/run_notes.hpp) stand between the rows, each once.
#pragma once

#include <set>
#include <string>

#include "model/measurement.hpp"
#include "model/run_notes.hpp"

namespace qpcast::hw {

class RowFile {
 public:
  /// Opens or creates.
  /// @param platform  name that its rows must have; empty: any
  /// @throws InputError for a line that is no row, or rows of another device or platform;
  /// @throws DeviceError when the file cannot be opened or another run has it
  RowFile(std::string path, const std::string& source_kind, const std::string& nic,
          const std::string& platform = {});
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  bool has(const std::string& id) const { return ids_.contains(id); }
  const std::string& path() const { return path_; }
  std::size_t size() const { return ids_.size(); }
  /// Appends and syncs. @throws DeviceError (disk full) with the file as it was before
  void append(const Measurement& row);
  /// The same with a note, unless the file has it already.
  void append(const PlanNote& note);
  void append(const PointNote& note);

 private:
  void check_platform(const std::string& found, const std::string& wanted,
                      std::size_t number) const;
  void check_device(const Source& found, const Source& wanted, std::size_t number) const;
  void write_line(const std::string& text);
  void cut_off(std::string_view torn, std::size_t at, std::size_t number);
  void read_rows(const std::string& source_kind, const std::string& nic,
                 const std::string& platform);
  std::string path_;
  int descriptor_ = -1;
  std::set<std::string> ids_;
  RunNotes notes_;
};

}  // namespace qpcast::hw
