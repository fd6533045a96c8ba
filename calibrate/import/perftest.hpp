/// A run of perftest as both of its forms state it, and the rows that it makes.
///
/// What perftest does (its documentation, and its output on Soft-RoCE):
///  - ib_write_bw: one thread keeps `TX depth` writes outstanding on each queue pair, `Post list`
///    of them a post, a completion every `CQ Moderation`; it goes on to the next queue pair after
///    a completion, so that many writes are one visit of a connection.
///  - Bandwidth is in 2^20 B/s (printed MB/sec or MiB/sec) or 10^9 bit/s; of both directions
///    together with -b, like the message rate in 10^6/s.
///  - ib_write_lat: a ping-pong between host memories; printed times are half a round trip.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/import/rows.hpp"

namespace qpcast::import {

struct PerftestResult {
  std::size_t line = 0;
  std::map<std::string, double> columns;  ///< "bytes", "rate", "MiB/s", "Gb/s", "t_typical" ...
  bool says_as(const PerftestResult& other) const { return columns == other.columns; }
};

struct PerftestRun {
  std::size_t line = 0;                     ///< where its title stands
  std::string test;                         ///< "RDMA_Write BW Test"
  std::map<std::string, std::string> info;  ///< "Number of qps", "TX depth", ...
  std::vector<PerftestResult> results;
  std::size_t cut_off = 0;  ///< line at which it ended before its table did; 0: it did not
  std::string remark;       ///< what it said there, if anything
};

/// Adds the rows of a run. @throws InputError for a test or setting that no mechanism covers
void add_rows(const PerftestRun& run, RowWriter& rows);

/// The text that perftest prints, several runs one after the other.
std::vector<PerftestRun> parse_perftest_text(const std::string& text, RowWriter& rows);
/// What --out_json writes: braces and `key: value` lines, quoted or not; the last size of a run.
std::vector<PerftestRun> parse_perftest_json(const std::string& text, RowWriter& rows);

}  // namespace qpcast::import
