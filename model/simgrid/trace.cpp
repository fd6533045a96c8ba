#include "model/simgrid/trace.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "model/error.hpp"

namespace qpcast::simgrid {

namespace {

constexpr std::array track_names{"threads", "queues", "proxy workers", "NIC", "link", "probe"};

struct Closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

}  // namespace

void Trace::write(const std::string& file) const {
  const auto refuse = [&] {
    throw InputError{file, "--trace", fmt::format("cannot be written: {}", std::strerror(errno))};
  };
  const auto beside = file + ".part";
  std::unique_ptr<std::FILE, Closer> out{std::fopen(beside.c_str(), "w")};
  if (!out) refuse();
  print(out.get());
  if (std::ferror(out.get()) != 0 || std::fclose(out.release()) != 0) refuse();
  if (std::rename(beside.c_str(), file.c_str()) != 0) refuse();
}

void Trace::print(std::FILE* out) const {
  fmt::print(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  std::set<int> processes;
  std::set<std::pair<int, std::uint32_t>> threads;
  for (const auto& s : spans_) {
    const int pid = static_cast<int>(s.track) + 1;
    const auto* const track = track_names.at(static_cast<std::size_t>(s.track));
    if (processes.insert(pid).second)
      fmt::print(out,
                 R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}},)"
                 "\n",
                 pid, track);
    if (threads.insert({pid, s.index}).second) {
      const auto named = names_.find({pid, s.index});
      fmt::print(out,
                 R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}},)"
                 "\n",
                 pid, s.index,
                 named == names_.end() ? fmt::format("{} {}", track, s.index) : named->second);
    }
    fmt::print(out,
               R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.6f},"dur":{:.6f},)"
               R"("args":{{"messages":{}}}}},)"
               "\n",
               s.what, pid, s.index, s.begin, s.end - s.begin, s.messages);
  }
  fmt::print(out,
             R"({{"ph":"M","name":"process_labels","pid":0,)"
             R"("args":{{"labels":"{} spans kept of at most {}"}}}})"
             "\n]}}\n",
             spans_.size(), limit_);
}

}  // namespace qpcast::simgrid
