#include "calibrate/import/import.hpp"

#include <fmt/format.h>

#include "calibrate/import/recognise.hpp"
#include "model/error.hpp"

namespace qpcast::import {

Imported run(const std::string& format, const std::string& text, const std::string& source,
             const Options& options) {
  if (const auto other = recognise_other(text, format))
    throw InputError{source, other->line, format,
                     fmt::format("this is output of {}; {}", other->tool, other->right)};
  if (format == "perftest") return perftest(text, source, options);
  if (format == "nvshmem-perftest") return nvshmem_perftest(text, source, options);
  if (format == "nccl-tests") return nccl_tests(text, source, options);
  throw InputError{source, format, "not one of perftest, nvshmem-perftest, nccl-tests"};
}

}  // namespace qpcast::import
