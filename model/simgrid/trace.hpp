/// Trace: who was busy when, as Chrome trace events (chrome://tracing and Perfetto read them).
///
/// One track per thread, queue, NIC and link. Spans beyond the limit are not kept. The file is the
/// JSON object form: {"displayTimeUnit": "ns", "traceEvents": [...]}, times in us. Spans of one
/// track nest or are disjoint (phase X), as the format asks; those that overlap, such as doorbells
/// that wait for the engine together, are asynchronous (phases b and e). Source: Trace Event
/// Format.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qpcast::simgrid {

enum class Track : std::uint8_t { thread, queue, worker, nic, link, probe };

class Trace {
 public:
  /// @param limit  spans kept; 0 disables  @param from  us; spans that end before are left out
  explicit Trace(std::uint32_t limit, double from = 0) : limit_{limit}, from_{from} {}
  bool on() const { return spans_.size() < limit_; }
  /// `what` must outlive the trace.
  void span(Track track, std::uint32_t index, const char* what, double begin, double end,
            std::uint32_t messages) {
    keep({what, begin, end, index, messages, track, false});
  }
  /// A span that may partly overlap others of its track.
  void overlapping(Track track, std::uint32_t index, const char* what, double begin, double end,
                   std::uint32_t messages) {
    keep({what, begin, end, index, messages, track, true});
  }
  /// Names one track; else it is called by its kind and number.
  void name(Track track, std::uint32_t index, const std::string& text) {
    names_[{process(track), index}] = text;
  }
  /// Written beside and renamed. @throws InputError when the file cannot be written
  void write(const std::string& file) const;

 private:
  struct Span {
    const char* what;
    double begin, end;
    std::uint32_t index, messages;
    Track track;
    bool overlaps;
  };
  void keep(const Span& span) {
    if (on() && span.end >= from_) spans_.push_back(span);
  }
  static int process(Track track) { return static_cast<int>(track) + 1; }
  void name_tracks(std::FILE* out) const;
  void print(std::FILE* out) const;

  std::map<std::pair<int, std::uint32_t>, std::string> names_;
  std::vector<Span> spans_;
  std::uint32_t limit_;
  double from_;
};

}  // namespace qpcast::simgrid
