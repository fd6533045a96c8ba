#include "hw/experiments/row_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "hw/nic/device_error.hpp"
#include "model/error.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/run_notes.hpp"

namespace qpcast::hw {

namespace {

std::string read_all(int descriptor, const std::string& path) {
  std::string text;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const auto got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw DeviceError{path, "read", errno, "is it a regular file?"};
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

RowFile::RowFile(std::string path, const std::string& source_kind, const std::string& nic,
                 const std::string& platform)
    : path_{std::move(path)} {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw DeviceError{path_, "open", errno, "give a writable file (-o)"};
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      throw DeviceError{path_, "flock", errno, "another run writes this file"};
    read_rows(source_kind, nic, platform);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RowFile::~RowFile() { ::close(descriptor_); }

void RowFile::read_rows(const std::string& source_kind, const std::string& nic,
                        const std::string& platform) {
  const auto text = read_all(descriptor_, path_);
  const auto whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  std::size_t number = 0;
  for (std::size_t at = 0; at < whole;) {
    const auto end = text.find('\n', at);
    const auto line = std::string_view{text}.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    const auto row = io::from_json_line(std::string{line}, path_, number, notes_);
    if (!row) {
      if (notes_.plans.empty()) continue;
      const auto& plan = notes_.plans.back();
      check_platform(plan.platform, platform, number);
      if (!plan.nic.empty()) check_device({plan.source, plan.nic}, {source_kind, nic}, number);
      continue;
    }
    const auto found = row->environment.find("nic");
    const auto device = found == row->environment.end() ? std::string{} : found->second;
    check_device({row->source.kind, device}, {source_kind, nic}, number);
    check_platform(row->platform, platform, number);
    ids_.insert(row->id);
  }
  if (whole != text.size()) cut_off(std::string_view{text}.substr(whole), whole, number + 1);
}

void RowFile::check_device(const Source& found, const Source& wanted, std::size_t number) const {
  if (found.kind != wanted.kind || found.detail != wanted.detail)
    throw InputError{path_, number, "nic",
                     fmt::format("rows of {} ({}), this run is on {} ({}); give another file",
                                 found.detail, found.kind, wanted.detail, wanted.kind)};
}

void RowFile::check_platform(const std::string& found, const std::string& wanted,
                             std::size_t number) const {
  if (!wanted.empty() && found != wanted)
    throw InputError{
        path_, number, "platform",
        fmt::format("rows of '{}', this run is of '{}'; give another file", found, wanted)};
}

/// The last line of a run that was killed; anything else is somebody's file.
void RowFile::cut_off(std::string_view torn, std::size_t at, std::size_t number) {
  constexpr std::string_view row = "{\"schema\":";
  if (torn.substr(0, row.size()) != row.substr(0, torn.size()))
    throw InputError{path_, number, "", "not a row of measurements; give another file (-o)"};
  if (::ftruncate(descriptor_, static_cast<off_t>(at)) != 0)
    throw DeviceError{path_, "ftruncate", errno, "cannot cut off the torn last line"};
}

void RowFile::append(const Measurement& row) {
  write_line(io::to_json_line(row));
  ids_.insert(row.id);
}

void RowFile::append(const PlanNote& note) {
  if (std::ranges::find(notes_.plans, note) != notes_.plans.end()) return;
  write_line(io::to_json_line(note));
  notes_.plans.push_back(note);
}

void RowFile::append(const PointNote& note) {
  if (std::ranges::find(notes_.points, note) != notes_.points.end()) return;
  write_line(io::to_json_line(note));
  notes_.points.push_back(note);
}

void RowFile::write_line(const std::string& text) {
  const auto before = ::lseek(descriptor_, 0, SEEK_END);
  const auto line = text + "\n";
  std::string_view left = line;
  while (!left.empty()) {
    const auto written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int code = errno;
      // What was written of this row goes; the rows before it stay.
      const bool restored = ::ftruncate(descriptor_, before) == 0;
      throw DeviceError{path_, "write", code,
                        restored
                            ? "is the disk full? Finished rows are kept"
                            : "is the disk full? The last line is torn; the next run mends it"};
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(descriptor_) != 0 && errno != EINVAL)
    throw DeviceError{path_, "fsync", errno, "is the disk full? Finished rows are kept"};
}

}  // namespace qpcast::hw
