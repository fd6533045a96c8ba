/// Marks what a GPU thread runs as well as a CPU thread.
#pragma once

#ifdef __CUDACC__
#define QPCAST_HOST_DEVICE __host__ __device__
#else
#define QPCAST_HOST_DEVICE
#endif
