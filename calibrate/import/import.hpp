/// Rows from the output of benchmarks that people already have.
///
///   perftest          text of ib_write_bw and ib_write_lat, and what --out_json writes
///   nvshmem-perftest  tables and machine-readable lines of NVSHMEM's perftest
///   nccl-tests        tables of alltoall_perf and sendrecv_perf
///
/// A row's layout holds what the output says; the rest comes from `Options::known`, which may not
/// contradict it. `source.kind` is imported. A run that did not finish is refused, unless
/// `Options::partial` asks for its complete rows. What is left out is said in `warnings`.
#pragma once

#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace qpcast::import {

struct Options {
  std::string platform = "imported";
  Layout known;          ///< keys, and the library, that the output does not say
  bool partial = false;  ///< take the complete rows of a run that was cut off
};

struct Imported {
  std::vector<Measurement> rows;
  std::vector<std::string> warnings;  ///< one line each, with file and line
};

/// @param text    the whole output
/// @param source  file name, for messages and row ids
/// @throws InputError with file and line: no results, a run that was aborted or cut off, a column
///         or test that is not known, a key of `known` that the output contradicts
Imported perftest(const std::string& text, const std::string& source, const Options& options);
Imported nvshmem_perftest(const std::string& text, const std::string& source,
                          const Options& options);
Imported nccl_tests(const std::string& text, const std::string& source, const Options& options);

/// One of the above by its name on the command line.
/// @throws InputError naming the known formats, or the tool whose output the text is instead
Imported run(const std::string& format, const std::string& text, const std::string& source,
             const Options& options);

}  // namespace qpcast::import
