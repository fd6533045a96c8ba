/// Metrics of a solved pipeline: each published quantity as a function of path and throughput.
///
///   issue            sum of issue terms
///   doorbell_to_cqe  transit + acknowledge + complete: until the submitter has seen the CQE
///   put_completion   issue + doorbell_to_cqe
///   rtt              2 (issue + transit + receive + load delay + wait behind the backlog)
///   rtt_p99          rtt + host tail
///   *_clock_share    (T(f) - T(infinity)) / T(f) of the path at SM clock f
///   payload_at_90pct smallest payload whose goodput reaches 90 % of a full-MTU stream's
///
/// Which metrics have a formula for a setup is `modelled`; everything else carries the reason.
#pragma once

#include <string_view>

#include "model/analytic/closed_network.hpp"
#include "model/measurement.hpp"
#include "model/setup.hpp"

namespace qpcast {

struct Solution {
  Pipeline pipeline;
  Throughputs throughput;
};

Solution solve(const Setup& setup, const ParameterValues& values);
/// The solution after a small step of a parameter, from the one before it.
Solution solve(const Setup& setup, const ParameterValues& values, const Solution& near);

/// Why no mechanism covers this metric for this layout; empty when one does.
std::string_view not_modelled(Metric metric, const Layout& layout);

/// The metric in its unit, before `reported`. Precondition: not_modelled is empty.
double evaluate(Metric metric, const Setup& setup, const ParameterValues& values,
                const Solution& solution);

/// What a benchmark would report: payload knees fall on the sampled grid (powers of two up to
/// 4 KiB, multiples of 1 KiB above); every other metric is unchanged.
double reported(Metric metric, double value);

}  // namespace qpcast
