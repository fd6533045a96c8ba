/// `qpcast measure`.
#pragma once

#include <CLI/CLI.hpp>

namespace qpcast::cli {

/// Adds the subcommand; running it measures.
void add_measure(CLI::App& app);

}  // namespace qpcast::cli
