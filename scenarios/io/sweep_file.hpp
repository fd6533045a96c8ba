/// A sweep to a file: streamed, in order whatever the number of workers, resumed after a kill.
///
/// Results go to OUT.partial, chunk by chunk, with OUT.progress beside it saying how much of it is
/// whole. When the last chunk is written the partial file is renamed to OUT; until then an older
/// OUT stays as it was. Memory: one chunk per worker.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "model/prediction.hpp"
#include "model/sweep.hpp"

namespace qpcast::io {

/// Predicts one layout; each worker makes its own.
using Predictor = std::function<Prediction(const Layout&)>;

struct SweepRun {
  std::filesystem::path out;                  ///< .csv or .jsonl decides the form
  std::string platform;                       ///< name written into JSONL
  std::string signature;                      ///< what must be equal for a resumed run
  int jobs = 1;                               ///< worker threads
  std::function<Predictor()> make_predictor;  ///< called once per worker
  std::function<void(double done)> progress;  ///< 0..1
};

/// Runs or resumes. Layouts that contradict themselves are rows with an error text, not an end.
/// @return layouts that were already there when the run started
/// @throws InputError for an unknown extension or an unwritable file
std::uint64_t run_sweep(const Sweep& sweep, const SweepRun& run);

}  // namespace qpcast::io
