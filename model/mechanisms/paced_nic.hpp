/// Paced NIC: a program that keeps to a message rate, and fetches the contexts that a cache of
/// queue pairs lost. The emulated NIC does so when told to (hw/nic/emulated/imposed.hpp).
///
///   service  = 1 / nic.ceiling + conn.miss * m / w
///   m        = 0                     N <= C, C = conn.onset_bidirectional
///   1 - m    = exp(-m N / C)         N > C
///
/// N: active_qps; w: writes_per_visit up to the NIC's turn of 32 messages, which share the fetch
/// (hw/nic/emulated/server.hpp); nic.ceiling in Mmsg/s, conn.miss in
/// us. m is the share of visits that miss when N queue pairs are visited in turn and a miss
/// replaces any of C contexts: N m of them happen between two visits to one queue pair, each
/// leaves its context with probability 1 - 1/C, and (1 - 1/C)^(N m) is about exp(-m N / C).
/// Least-recently-used replacement misses on every visit beyond C: m is 1 at once.
///
/// The program's own time per message is taken to fit into the imposed interval; where it does not,
/// nic.ceiling is what the program reaches. Either direction of traffic costs the same, since only
/// the sender's contexts are looked up. Valid where a queue pair has w messages waiting when its
/// turn comes; with fewer waiting the length of a turn depends on when the submitter refills. What
/// GPU threads submit is served by programs that impose nothing (software_nic.hpp).
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::paced_nic {

inline constexpr double longest_turn = 32;  ///< messages

/// The imposed rate and cache bound this setup's engine.
bool paces(const Setup& setup);

/// Share of visits that miss, `excess` = N / C; 0 up to 1, then rising towards 1.
double miss_share(double excess);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::paced_nic
