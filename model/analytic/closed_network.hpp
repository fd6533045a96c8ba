/// Throughput of a pipeline: asymptotic bounds, and mean-value analysis when submitters wait.
///
/// Open window: submitters never wait for completions, queues are deep, and the rate is that of
/// the slowest station,  X = min_k servers_k / service_k.
///
/// Finite window: N messages circulate through think time Z and the stations. In Schweitzer's
/// approximation of mean-value analysis the residence at station k, with Seidmann's treatment of
/// its m_k servers, follows from the rate in closed form,
///
///   R_k(X) = (D_k / m_k) / (1 - X (D_k / m_k) (N - 1) / N)  +  D_k (m_k - 1) / m_k
///
/// so the rate is the one root of  X (Z(X) + sum R_k(X)) = N,  which is monotone in X; found by
/// safeguarded Newton steps to 1e-9 relative. Z grows with the NIC's load (Pipeline::load_delay).
/// X never exceeds the bound. Sources: Schweitzer 1979; Seidmann, Schweitzer and
/// Shalev-Oren 1987.
#pragma once

#include <array>

#include "model/pipeline.hpp"

namespace qpcast {

struct Throughputs {
  Rate rate;                                         ///< carried rate, all submitters together
  std::array<double, resource_count> utilisation{};  ///< 0..1 per resource
  Resource bottleneck = Resource::submitter;         ///< the most utilised resource
};

/// Solves the pipeline. The result is positive and finite for any pipeline with some work.
Throughputs solve_throughput(const Pipeline& pipeline);

/// Solves a pipeline that differs from a solved one by a small step: one Newton step from that
/// one's rate, wrong by the square of the step, which is what a derivative needs.
Throughputs solve_throughput(const Pipeline& pipeline, Rate near);

}  // namespace qpcast
