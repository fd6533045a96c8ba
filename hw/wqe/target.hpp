/// Marks what a GPU thread runs as well as a CPU thread.
#pragma once

#ifdef __CUDACC__
#define QPCAST_HOST_DEVICE __host__ __device__
#else
#define QPCAST_HOST_DEVICE
#endif

/// A loop of constant bound that a GPU thread runs as straight code.
#ifdef __CUDA_ARCH__
#define QPCAST_UNROLL_ON_GPU _Pragma("unroll")
#else
#define QPCAST_UNROLL_ON_GPU
#endif
