/// Whole text files: read with checks, written so that nobody ever sees half of one.
#pragma once

#include <filesystem>
#include <string>

namespace qpcast::io {

/// The file's text. @throws InputError if it cannot be read or is not UTF-8 (with the line)
std::string read_text(const std::filesystem::path& path);

/// Throws InputError naming the line unless `text` is valid UTF-8.
void require_utf8(const std::string& text, const std::string& source);

/// Writes beside the target, syncs, and renames over it: an interrupted run leaves the old file
/// whole. @throws InputError naming the path and the system's reason
void write_atomically(const std::filesystem::path& path, const std::string& text);

/// Renames a synced file over `to` and syncs the directory, so that a power cut cannot undo it.
/// @throws InputError naming the path and the system's reason
void replace_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace qpcast::io
