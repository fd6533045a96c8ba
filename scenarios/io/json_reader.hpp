/// Strict reading of JSON objects: every member is known, typed and finite, or it is an error that
/// names the file and the member's path.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace qpcast::io {

/// Parses text. @throws InputError with file and line for anything malformed, truncated, or with a
/// member given twice
nlohmann::json parse_json(const std::string& text, const std::string& source,
                          std::size_t first_line = 1);

/// One object, read member by member; `finish` rejects members that nobody asked for.
class ObjectReader {
 public:
  /// @throws InputError unless `value` is an object
  ObjectReader(const nlohmann::json& value, std::string source, std::string path = "");

  bool has(const std::string& key) const { return object_.contains(key); }
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);
  double number(const std::string& key);
  double number(const std::string& key, double fallback);
  bool flag(const std::string& key, bool fallback);
  /// Any member as it is. @throws InputError when missing
  const nlohmann::json& member(const std::string& key);
  /// @throws InputError naming an unknown member and the nearest known one
  void finish() const;
  /// @throws InputError unless member "schema" is `expected`
  void require_schema(const std::string& expected);
  [[noreturn]] void fail(const std::string& key, const std::string& advice) const;
  const std::string& source() const { return source_; }

 private:
  const nlohmann::json& object_;
  std::string source_, path_;
  std::set<std::string> known_;
};

}  // namespace qpcast::io
