#include "hw/experiments/row_file.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hw/nic/device_error.hpp"
#include "model/error.hpp"
#include "scenarios/io/measurements.hpp"

using namespace qpcast;
using namespace qpcast::hw;

namespace {

/// A file that goes away with the test.
class Scratch {
 public:
  Scratch() : folder_{std::filesystem::temp_directory_path() / "qpcast-rows-XXXXXX"} {
    auto name = folder_.string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path() const { return folder_ / "run.jsonl"; }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream{path()}.rdbuf();
    return all.str();
  }
  void write(const std::string& text) const { std::ofstream{path()} << text; }

 private:
  std::filesystem::path folder_;
};

Measurement row(const std::string& id) {
  Measurement row;
  row.id = id;
  row.platform = "test";
  row.layout = parse_layout("submitter=host;qps=4;batch=16;payload=8", "test");
  row.metric = Metric::rate;
  row.value = 1.25;
  row.lo = 1;
  row.hi = 1.5;
  row.unit = "Mmsg/s";
  row.passes = 3;
  row.environment = {{"nic", "memory"}};
  row.source = {"emulated", "memory"};
  return row;
}

}  // namespace

TEST_CASE("notes stand between rows, each once, and are no rows") {
  const Scratch file;
  const PlanNote plan{"test", "emulated", "memory", "quick", {"a", "b"}};
  const PointNote failed{PointNote::Outcome::failed, {"b"}, "queue pair in error"};
  for (int run = 0; run < 2; ++run) {
    RowFile rows{file.path(), "emulated", "memory", "test"};
    rows.append(plan);
    if (!rows.has("a")) rows.append(row("a"));
    rows.append(failed);
    CHECK(rows.size() == 1);
  }
  const auto text = file.text();
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  const auto read = io::read_measurement_file(file.path());
  REQUIRE(read.rows.size() == 1);
  CHECK(read.notes.plans == std::vector{plan});
  CHECK(read.notes.points == std::vector{failed});
  const auto state = completeness(read.notes, {"a"});
  CHECK(state.asked == 2);
  CHECK(state.missing == 1);
  CHECK(state.failed == 1);
  CHECK_THROWS_AS((RowFile{file.path(), "emulated", "memory", "other"}), InputError);
}

TEST_CASE("a file that holds a plan of another platform is another run's") {
  const Scratch file;
  RowFile{file.path(), "emulated", "memory", "test"}.append(
      PlanNote{"test", "emulated", "memory", "quick", {"a"}});
  CHECK_THROWS_WITH((RowFile{file.path(), "emulated", "memory", "other"}),
                    Catch::Contains("rows of 'test'"));
  CHECK_THROWS_WITH((RowFile{file.path(), "verbs", "rxe0", "test"}),
                    Catch::Contains("rows of memory (emulated), this run is on rxe0 (verbs)"));
  CHECK_NOTHROW(RowFile{file.path(), "emulated", "memory", "test"});
  CHECK_THROWS_WITH(io::read_measurements(file.path()),
                    Catch::Contains("no rows yet, of 1 that plan 'quick' asks for"));
}

TEST_CASE("cut anywhere, the next run keeps every whole row and continues") {
  const Scratch file;
  {
    RowFile rows{file.path(), "emulated", "memory"};
    rows.append(row("a"));
    rows.append(row("b"));
  }
  const auto whole = file.text();
  const auto first = whole.find('\n') + 1;
  for (std::size_t cut = 0; cut <= whole.size(); cut += 7) {
    file.write(whole.substr(0, cut));
    RowFile rows{file.path(), "emulated", "memory"};
    CHECK(rows.has("a") == (cut >= first));
    CHECK_FALSE(rows.has("b"));
    rows.append(row("c"));
    CHECK(file.text() ==
          (cut >= first ? whole.substr(0, first) : "") + io::to_json_line(row("c")) + "\n");
  }
}

TEST_CASE("foreign lines, another device's rows and a second writer are refused") {
  const Scratch file;
  SECTION("foreign") {
    file.write("{\"a\": 1}\n");
    CHECK_THROWS_WITH((RowFile{file.path(), "emulated", "memory"}), Catch::Contains(":1"));
  }
  SECTION("somebody's file without a final newline stays as it was") {
    for (const std::string text :
         {"important notes", "{\"name\":\"P-IB\"", "{\"schema\": 1}\n{x"}) {
      file.write(text);
      CHECK_THROWS_AS((RowFile{file.path(), "emulated", "memory"}), InputError);
      CHECK(file.text() == text);
    }
  }
  SECTION("another device") {
    RowFile{file.path(), "emulated", "memory"}.append(row("a"));
    CHECK_THROWS_WITH((RowFile{file.path(), "verbs", "rxe0"}), Catch::Contains("another file"));
  }
  SECTION("another platform's name") {
    RowFile{file.path(), "emulated", "memory"}.append(row("a"));
    CHECK_NOTHROW(RowFile{file.path(), "emulated", "memory", row("a").platform});
    CHECK_THROWS_WITH((RowFile{file.path(), "emulated", "memory", "other"}),
                      Catch::Contains("platform") && Catch::Contains("another file"));
  }
  SECTION("second writer") {
    const RowFile rows{file.path(), "emulated", "memory"};
    CHECK_THROWS_WITH((RowFile{file.path(), "emulated", "memory"}), Catch::Contains("another run"));
  }
  SECTION("no such folder") {
    CHECK_THROWS_WITH((RowFile{file.path() + "/x/y", "emulated", "memory"}),
                      Catch::Contains("writable"));
  }
}

namespace {

/// A file size limit stands in for a full disk: the write fails half-way, as there.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_{std::signal(SIGXFSZ, SIG_IGN)} {
    getrlimit(RLIMIT_FSIZE, &previous_);
    const rlimit limit{bytes, previous_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &previous_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit previous_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("a disk that fills up loses the row that did not fit, and no other") {
  const Scratch file;
  RowFile rows{file.path(), "emulated", "memory"};
  rows.append(row("a"));
  const auto before = file.text();
  {
    const FileSizeLimit full{before.size() + 20};
    CHECK_THROWS_WITH(rows.append(row("b")), Catch::Contains("Finished rows are kept"));
  }
  CHECK(file.text() == before);
  rows.append(row("b"));
  CHECK(rows.size() == 2);
}
