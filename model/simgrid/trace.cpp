#include "model/simgrid/trace.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "model/error.hpp"

namespace qpcast::simgrid {

namespace {

struct TrackKind {
  const char *all, *one;
  int order;  ///< from the top: a message goes from threads to links
};
constexpr std::array<TrackKind, 6> kinds{{{"threads", "thread", 0},
                                          {"queues", "queue", 2},
                                          {"proxy workers", "worker", 1},
                                          {"NIC", "NIC", 3},
                                          {"links", "link", 4},
                                          {"probe", "probe", 5}}};
const TrackKind& kind(Track track) { return kinds.at(static_cast<std::size_t>(track)); }

/// Viewers refuse a trailing comma: every event but the last is followed by one.
void meta(std::FILE* out, const char* what, int pid, std::uint32_t tid, const std::string& args) {
  fmt::print(out, R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}},)", what, pid, tid,
             args);
  fmt::print(out, "\n");
}

struct Closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

}  // namespace

void Trace::write(const std::string& file) const {
  const auto refuse = [&] {
    throw InputError{file, "--trace", fmt::format("cannot be written: {}", std::strerror(errno))};
  };
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists(file, none) && !fs::is_regular_file(file, none))
    throw InputError{file, "--trace", "is there and not a regular file"};
  const auto target = fs::is_symlink(file, none) ? fs::canonical(file).string() : file;
  const auto beside = target + ".part";
  std::unique_ptr<std::FILE, Closer> out{std::fopen(beside.c_str(), "w")};
  if (!out) refuse();
  print(out.get());
  if (std::ferror(out.get()) != 0 || std::fclose(out.release()) != 0) refuse();
  if (std::rename(beside.c_str(), target.c_str()) != 0) refuse();
}

void Trace::name_tracks(std::FILE* out) const {
  std::set<std::pair<int, std::uint32_t>> seen;
  for (const auto& s : spans_) {
    const int pid = process(s.track);
    const auto& of = kind(s.track);
    if (seen.lower_bound({pid, 0}) == seen.lower_bound({pid + 1, 0})) {
      meta(out, "process_name", pid, 0, fmt::format(R"("name":"{}")", of.all));
      meta(out, "process_sort_index", pid, 0, fmt::format(R"("sort_index":{})", of.order));
    }
    if (!seen.insert({pid, s.index}).second) continue;
    const auto named = names_.find({pid, s.index});
    meta(out, "thread_name", pid, s.index,
         fmt::format(R"("name":"{}")", named == names_.end() ? fmt::format("{} {}", of.one, s.index)
                                                             : named->second));
    meta(out, "thread_sort_index", pid, s.index, fmt::format(R"("sort_index":{})", s.index));
  }
}

void Trace::print(std::FILE* out) const {
  fmt::print(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  name_tracks(out);
  std::size_t id = 0;
  for (const auto& s : spans_) {
    const auto what =
        fmt::format(R"("name":"{}","pid":{},"tid":{})", s.what, process(s.track), s.index);
    const auto args = fmt::format(R"("args":{{"messages":{}}})", s.messages);
    if (!s.overlaps) {
      fmt::print(out, R"({{"ph":"X",{},"ts":{:.6f},"dur":{:.6f},{}}},)", what, s.begin,
                 s.end - s.begin, args);
    } else {
      ++id;
      fmt::print(out, R"({{"ph":"b","cat":"{}","id":{},{},"ts":{:.6f},{}}},)", kind(s.track).one,
                 id, what, s.begin, args);
      fmt::print(out, R"({{"ph":"e","cat":"{}","id":{},{},"ts":{:.6f}}},)", kind(s.track).one, id,
                 what, s.end);
    }
    fmt::print(out, "\n");
  }
  fmt::print(out, R"({{"ph":"M","name":"process_labels","pid":{},)", process(Track::thread));
  fmt::print(out, R"("args":{{"labels":"{} spans kept of at most {}"}}}})", spans_.size(), limit_);
  fmt::print(out, "\n]}}\n");
}

}  // namespace qpcast::simgrid
