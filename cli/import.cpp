#include "calibrate/import/import.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "cli/context.hpp"
#include "model/error.hpp"
#include "model/platform.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::cli {

namespace {

struct Arguments {
  std::string format, out, library;
  std::vector<std::string> inputs;  ///< files, and key=value
  import::Options options;
};

/// `key=value` of the vocabulary is what the output does not say; anything else is a file.
void sort_out(const std::vector<std::string>& inputs, std::vector<std::string>& files,
              std::vector<std::string>& keys) {
  for (const auto& item : inputs) {
    const auto name = item.substr(0, item.find('='));
    const bool key = item.find('=') != std::string::npos && item.find('/') == std::string::npos;
    (key && (find_key(name) || name == "library") ? keys : files).push_back(item);
  }
  if (files.empty()) throw InputError{command_line, "FILE", "none; what is to be imported?"};
}

void run(Arguments a) {
  std::vector<std::string> files, keys;
  sort_out(a.inputs, files, keys);
  if (const auto wrong = wrong_in_platform_name(a.options.platform); !wrong.empty())
    throw InputError{command_line, "--platform", wrong};
  std::error_code none;
  for (const auto& file : files)
    if (std::filesystem::equivalent(file, a.out, none))
      throw InputError{command_line, "-o", fmt::format("is {}, which is to be read", file)};
  a.options.known = parse_arguments(keys, a.library);
  find_preset(load_presets(), a.options.known.library, command_line);
  std::string lines;
  std::size_t rows = 0;
  std::map<std::string, std::string> seen;
  for (const auto& file : files) {
    const auto imported = import::run(a.format, io::read_text(file), file, a.options);
    for (const auto& w : imported.warnings) fmt::print(stderr, "qpcast: {}\n", w);
    for (const auto& row : imported.rows) {
      if (const auto [it, fresh] = seen.emplace(row.id, file); !fresh)
        throw InputError{
            file, "id",
            fmt::format("'{}' is also in {}; files need different names", row.id, it->second)};
      lines += io::to_json_line(row) + "\n";
    }
    rows += imported.rows.size();
  }
  io::write_atomically(a.out, lines);
  fmt::print("{} rows of {} file{} in {}\n", rows, files.size(), files.size() == 1 ? "" : "s",
             a.out);
}

}  // namespace

void add_import(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("import", "Rows from benchmarks that you already have");
  const auto a = std::make_shared<Arguments>();
  sub->add_option("format", a->format, "perftest, nvshmem-perftest or nccl-tests")
      ->required()
      ->check(CLI::IsMember({"perftest", "nvshmem-perftest", "nccl-tests"}));
  sub->add_option("inputs", a->inputs,
                  "Files of output, and key=value that the output does not say")
      ->required();
  sub->add_option("-o,--output", a->out, "Measurements, .jsonl")
      ->required()
      ->check([](const std::string& name) {
        return name.ends_with(".jsonl") ? std::string{} : "must end in .jsonl";
      });
  sub->add_option("--platform", a->options.platform, "Name of the platform the rows are of")
      ->capture_default_str();
  sub->add_option("--library", a->library, "Library that was measured (nvshmem-perftest)");
  sub->add_flag("--partial", a->options.partial,
                "Take the complete rows of a run that was cut off");
  sub->footer(
      "Examples:\n  ib_write_bw -a -F HOST | tee bw.txt; ib_write_lat -a -F HOST | tee lat.txt\n"
      "  qpcast import perftest bw.txt lat.txt --platform mine -o mine.jsonl\n"
      "  qpcast import nvshmem-perftest put.txt --library nvshmem-ibgda qps=2 threads=32 -o "
      "put.jsonl\n"
      "  qpcast calibrate mine.jsonl -o mine.json");
  sub->callback([a] { run(*a); });
}

}  // namespace qpcast::cli
