#include "scenarios/io/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/error.hpp"
#include "model/nearest.hpp"

namespace qpcast::io {

namespace {

using nlohmann::json;

std::size_t line_of(const std::string& text, std::size_t byte, std::size_t first_line) {
  const auto end = text.begin() + static_cast<long>(std::min(byte, text.size()));
  return first_line + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

/// Where the parser has read to: the text's iterator, which keeps count of the lines.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, std::size_t* line) : at_{at}, line_{line} {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    if (*at_++ == '\n') ++*line_;
    return *this;
  }
  LineCounter operator++(int) {
    const auto before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }
  bool operator!=(const LineCounter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

/// Rejects a member that an object names twice, which the library would silently overwrite.
class DuplicateCheck {
 public:
  DuplicateCheck(std::string source, const std::size_t* line)
      : source_{std::move(source)}, line_{line} {}
  bool operator()(int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key && !keys_.back().insert(value.get<std::string>()).second)
      throw InputError{source_, *line_, value.get<std::string>(), "given twice"};
    return true;
  }

 private:
  std::string source_;
  const std::size_t* line_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

json parse_json(const std::string& text, const std::string& source, std::size_t first_line) {
  std::size_t line = first_line;
  const char* begin = text.data();
  try {
    return json::parse(LineCounter{begin, &line}, LineCounter{begin + text.size(), &line},
                       DuplicateCheck{source, &line});
  } catch (const json::out_of_range&) {
    throw InputError{source, line, "", "a number is too large for a double"};
  } catch (const json::parse_error& e) {
    throw InputError{
        source, line_of(text, e.byte, first_line), "",
        e.byte >= text.size() ? "JSON ends too early; is the file truncated?" : "malformed JSON"};
  }
}

ObjectReader::ObjectReader(const json& value, std::string source, std::string path)
    : object_{value}, source_{std::move(source)}, path_{std::move(path)} {
  if (!value.is_object()) throw InputError{source_, path_, "expected a JSON object"};
}

void ObjectReader::fail(const std::string& key, const std::string& advice) const {
  throw InputError{source_, path_.empty() ? key : path_ + "." + key, advice};
}

const json& ObjectReader::member(const std::string& key) {
  known_.insert(key);
  const auto it = object_.find(key);
  if (it == object_.end()) fail(key, "missing");
  return *it;
}

std::string ObjectReader::text(const std::string& key) {
  const auto& value = member(key);
  if (!value.is_string()) fail(key, "expected text");
  return value.get<std::string>();
}

std::string ObjectReader::text(const std::string& key, const std::string& fallback) {
  known_.insert(key);
  return has(key) ? text(key) : fallback;
}

double ObjectReader::number(const std::string& key) {
  const auto& value = member(key);
  if (!value.is_number()) fail(key, "expected a number");
  return value.get<double>();
}

double ObjectReader::number(const std::string& key, double fallback) {
  known_.insert(key);
  return has(key) ? number(key) : fallback;
}

bool ObjectReader::flag(const std::string& key, bool fallback) {
  known_.insert(key);
  if (!has(key)) return fallback;
  const auto& value = member(key);
  if (!value.is_boolean()) fail(key, "expected true or false");
  return value.get<bool>();
}

void ObjectReader::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (known_.contains(key)) continue;
    const std::vector<std::string> names{known_.begin(), known_.end()};
    fail(key, fmt::format("unknown member; did you mean '{}'?", nearest(key, names)));
  }
}

void ObjectReader::require_schema(const std::string& expected) {
  if (!has("schema")) fail("schema", fmt::format("missing; expected \"{}\"", expected));
  if (const auto found = text("schema"); found != expected)
    fail("schema", fmt::format("\"{}\" is not \"{}\"", found, expected));
}

}  // namespace qpcast::io
