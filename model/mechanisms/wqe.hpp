/// WQE: what a send work request weighs and what building one costs the GPU.
///
/// A mlx5 send WQE is 16 B segments in 64 B basic blocks: control, address vector (DC only,
/// 16 B compact), remote address, then a data pointer segment (16 B) or an inline segment
/// (4 B length and the payload, rounded up to 16 B).
///
///   build = gpu.wqe_build                      per WQE, one thread
///   build = gpu.warp_build                     per warp of 32 lanes in lockstep
///   engine: 1 + nic.block * (blocks - 1)       times the message-engine service
///
/// Parameters in us at the reference clock; nic.block is a ratio. Valid for 0-220 B inline.
/// Source: mlx5 PRM (segment sizes); arXiv 2610.01380, Tables 3 and 5 (costs).
#pragma once

#include "model/pipeline.hpp"
#include "model/setup.hpp"

namespace qpcast::wqe {

inline constexpr double segment_bytes = 16;
inline constexpr double block_bytes = 64;
inline constexpr double inline_header_bytes = 4;
inline constexpr double max_inline_payload = 220;  ///< what fits a four-block RC WQE

/// 16 B segments of the WQE this setup builds.
double segments(const Setup& setup);
/// 64 B basic blocks of it.
double blocks(const Setup& setup);

void contribute(const Setup& setup, const ParameterValues& values, Pipeline& pipeline);

}  // namespace qpcast::wqe
