/// The clock of a processor as a program sees it.
#pragma once

#include <chrono>

namespace qpcast::hw {

/// Clock of the calling thread's processor as observed: dependent additions, one per cycle, timed;
/// the median over `time`. Unit: MHz. Under software emulation this is the emulator's speed; where
/// another thread shares the core, it is the share.
double observed_cpu_mhz(std::chrono::milliseconds time);

/// The same of processor `cpu` (-1: wherever the thread is), to which the calling thread is bound
/// meanwhile, over 1 ms.
double observed_mhz_of(int cpu);

}  // namespace qpcast::hw
