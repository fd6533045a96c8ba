#include "scenarios/io/sweep_file.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "model/error.hpp"
#include "scenarios/io/json_reader.hpp"
#include "scenarios/io/measurements.hpp"
#include "scenarios/io/predictions.hpp"
#include "scenarios/io/text_file.hpp"

namespace qpcast::io {

namespace {

namespace fs = std::filesystem;
constexpr std::array columns{Metric::issue, Metric::put_completion, Metric::rtt,
                             Metric::rate,  Metric::carried_rate,   Metric::goodput};

std::string csv_header(const Sweep& sweep) {
  std::string out = "layout";
  for (const auto& key : sweep.swept()) out += "," + key;
  for (const auto m : columns) {
    const auto name = fmt::format("{}[{}]", metric_name(m), metric_unit(m));
    out += fmt::format(",{0},{0}.lo,{0}.hi", name);
  }
  return out + ",bottleneck,warnings,error\n";
}

std::string csv_row(const Sweep& sweep, const Layout& layout, const Prediction& p,
                    const std::string& error) {
  std::string out = csv_field(layout.to_string());
  for (const auto& name : sweep.swept()) {
    const auto key = find_key(name);
    out += "," + (key ? layout.text(*key) : layout.library);
  }
  for (const auto m : columns) {
    const auto* e = p.find(m);
    out += e ? fmt::format(",{:.6g},{:.6g},{:.6g}", e->value, e->lo, e->hi) : ",,,";
  }
  return out + fmt::format(",{},{},{}\n", p.bottleneck, p.warnings.size(), csv_field(error));
}

std::string json_row(const SweepRun& run, const Layout& layout, const Prediction& p,
                     const std::string& error) {
  auto j = to_json(p, run.platform, layout);
  if (!error.empty()) j["error"] = error;
  return j.dump() + "\n";
}

std::string predict_chunk(const Sweep& sweep, const SweepRun& run, Predictor& predictor, bool csv,
                          std::uint64_t begin) {
  std::string out;
  const auto end = std::min(begin + run.chunk, sweep.size());
  for (auto i = begin; i < end; ++i) {
    const auto layout = sweep.at(i);
    Prediction prediction;
    std::string error;
    try {
      layout.check("layout");
      prediction = predictor(layout);
    } catch (const InputError& e) {
      error = e.what();
    }
    out +=
        csv ? csv_row(sweep, layout, prediction, error) : json_row(run, layout, prediction, error);
  }
  return out;
}

/// How much of the partial file is whole, if it belongs to the same sweep.
struct Checkpoint {
  std::uint64_t layouts = 0, bytes = 0;
};

std::optional<Checkpoint> read_checkpoint(const fs::path& path, const std::string& signature) {
  if (!fs::exists(path)) return std::nullopt;
  try {
    const auto value = parse_json(read_text(path), path.string());
    ObjectReader o{value, path.string()};
    if (o.text("signature") != signature) return std::nullopt;
    return Checkpoint{static_cast<std::uint64_t>(o.number("layouts")),
                      static_cast<std::uint64_t>(o.number("bytes"))};
  } catch (const InputError&) {
    return std::nullopt;  // a torn checkpoint is no checkpoint
  }
}

class PartialFile {
 public:
  PartialFile(fs::path out, std::string signature)
      : out_{std::move(out)}, signature_{std::move(signature)} {
    partial_ = out_;
    partial_ += ".partial";
    checkpoint_path_ = out_;
    checkpoint_path_ += ".progress";
    file_.reset(std::fopen(partial_.c_str(), "abe"));
    if (!file_) throw InputError{partial_.string(), "", "cannot write"};
    if (::flock(::fileno(file_.get()), LOCK_EX | LOCK_NB) != 0)
      throw InputError{out_.string(), "-o", "another sweep is writing this file"};
    const auto found = read_checkpoint(checkpoint_path_, signature_);
    if (found && fs::file_size(partial_) >= found->bytes) done_ = *found;
    fs::resize_file(partial_, done_.bytes);
  }

  std::uint64_t layouts() const { return done_.layouts; }
  bool fresh() const { return done_.bytes == 0; }

  void append(const std::string& text, std::uint64_t layouts) {
    const bool written = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
                         std::fflush(file_.get()) == 0 && ::fsync(::fileno(file_.get())) == 0;
    if (!written) throw InputError{partial_.string(), "", "cannot write; is the disk full?"};
    done_.bytes += text.size();
    done_.layouts += layouts;
    const nlohmann::json j{
        {"signature", signature_}, {"layouts", done_.layouts}, {"bytes", done_.bytes}};
    write_atomically(checkpoint_path_, j.dump() + "\n");
  }

  void finish() {
    replace_file(partial_, out_);
    fs::remove(checkpoint_path_);
    file_.reset();  // last: it holds the lock
  }

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  fs::path out_, partial_, checkpoint_path_;
  std::string signature_;
  Checkpoint done_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace

std::uint64_t run_sweep(const Sweep& sweep, const SweepRun& run) {
  const bool csv = run.out.extension() == ".csv";
  if (!csv && run.out.extension() != ".jsonl")
    throw InputError{run.out.string(), "-o", "expected a .csv or .jsonl file"};
  if (fs::is_directory(run.out)) throw InputError{run.out.string(), "-o", "is a directory"};
  PartialFile file{run.out, run.signature};
  if (file.fresh()) file.append(csv ? csv_header(sweep) : "", 0);
  const auto already = file.layouts();
  std::vector<Predictor> predictors;
  for (int j = 0; j < run.jobs; ++j) predictors.push_back(run.make_predictor());
  while (file.layouts() < sweep.size()) {
    const auto begin = file.layouts();
    const auto width = predictors.size() * run.chunk;
    std::vector<std::future<std::string>> parts;
    for (std::size_t j = 0; j < predictors.size() && begin + j * run.chunk < sweep.size(); ++j)
      parts.push_back(std::async(std::launch::async, [&, j] {
        return predict_chunk(sweep, run, predictors[j], csv, begin + j * run.chunk);
      }));
    std::string text;
    for (auto& p : parts) text += p.get();
    file.append(text, std::min<std::uint64_t>(width, sweep.size() - begin));
    if (run.progress)
      run.progress(static_cast<double>(file.layouts()) / static_cast<double>(sweep.size()));
  }
  file.finish();
  return already;
}

}  // namespace qpcast::io
