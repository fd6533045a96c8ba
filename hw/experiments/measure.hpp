/// `qpcast measure`: opens the NIC, finds the peer, runs the plan, says what was done.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "hw/exchange/exchange.hpp"
#include "hw/experiments/holdout.hpp"

namespace qpcast::hw {

struct MeasureOptions {
  std::string nic = "emulated";  ///< emulated, verbs or mlx5
  std::string plan = "quick";
  std::string output;                    ///< JSONL file; rows are appended
  std::string platform;                  ///< name in the rows; empty: kind and device
  std::vector<std::string> experiments;  ///< of the plan; empty: all
  std::vector<std::string> layouts;      ///< measured instead of the plan's
  std::string emulate;                   ///< what the emulated NIC imposes (emulated/imposed.hpp)
  std::string device;                    ///< perftest's -d
  int gid_index = -1;                    ///< perftest's -x
  int ib_port = 1;                       ///< perftest's -i
  bool ignore_governor = false;          ///< perftest's -F
  bool set_clocks = false;               ///< lock the SM clock for the SM clock experiment
  std::uint32_t passes = 0;              ///< 0: the plan's
  std::uint32_t patience_ms = 5000;
  bool alternate = false;          ///< passes alternate over the points (plan.hpp)
  std::optional<Holdout> holdout;  ///< measured instead of the plan's layouts

  bool server = false;
  bool client = false;
  Endpoint exchange;  ///< bound exactly as given, or connected to; perftest's -p
  std::string token;  ///< a client needs it; a server makes one up when empty
};

/// What a call of `measure` with these options would measure, and on what.
struct Outlook {
  std::string platform;      ///< name in the rows
  std::string kind, device;  ///< of the NIC
  std::vector<Point> points;
  std::uint32_t passes = 0;
};
/// Opens the NIC, and measures nothing. @throws InputError, DeviceError
Outlook outlook(const MeasureOptions& options);

/// What came of a run.
struct Measured {
  std::size_t rows = 0;    ///< in the file, those of an earlier run too
  std::size_t failed = 0;  ///< points whose transport failed; the same call tries them again
};
/// Prints a summary to `out` and everything else to stderr.
/// @throws InputError, DeviceError, ExchangeError, Interrupted. Finished rows are kept.
Measured measure(const MeasureOptions& options, std::ostream& out);

}  // namespace qpcast::hw
