/// Starts of the fit that the rows themselves suggest.
///
/// A ceiling that no row reaches at a start has no gradient there, so that a search from the prior
/// can settle where something else is slow and the ceiling is never seen. The highest rate that was
/// measured on a NIC is what its ceiling would be if it were what limits that row.
///
/// A row with fewer connections than a cache holds has no gradient in its size, so that the misfit
/// over the size has a kink, and may have a minimum, at every connection count that was measured.
#pragma once

#include "calibrate/problem.hpp"

namespace qpcast::calibrate {

/// Every NIC's ceiling at the highest rate measured on it: once with the other unknowns at their
/// priors, once at `found`.
std::vector<Eigen::VectorXd> saturated_starts(const Problem& problem, const Eigen::VectorXd& prior,
                                              const Eigen::VectorXd& found);

/// `found`, with the size of a paced NIC's context cache between each two connection counts that
/// were measured on it; empty without such a NIC.
std::vector<Eigen::VectorXd> onset_starts(const Problem& problem, const Eigen::VectorXd& found);

/// The best of an optimum and of the searches from further starts.
Optimum improved(Optimum best, const Objective& objective,
                 const std::vector<Eigen::VectorXd>& starts);

}  // namespace qpcast::calibrate
