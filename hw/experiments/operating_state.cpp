#include "hw/experiments/operating_state.hpp"

#include <thread>
#include <vector>

#include "hw/observed_clock.hpp"
#include "hw/proxy/proxy.hpp"

namespace qpcast::hw {

namespace {

using Clock = std::chrono::steady_clock;

bool asked_to_stop(const std::atomic<bool>* interrupted) {
  return interrupted && interrupted->load();
}

void idle(Clock::time_point end, const std::atomic<bool>* interrupted) {
  while (Clock::now() < end && !asked_to_stop(interrupted))
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
}

void load_all_processors(Clock::time_point end, const std::atomic<bool>* interrupted) {
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([=] {
      while (Clock::now() < end && !asked_to_stop(interrupted))
        observed_cpu_mhz(std::chrono::milliseconds{1});
    });
}

}  // namespace

double reach_host_state(HostState state, std::chrono::milliseconds warm,
                        std::chrono::milliseconds cold, int cpu,
                        const std::atomic<bool>* interrupted) {
  if (state == HostState::cold) idle(Clock::now() + cold, interrupted);
  if (state == HostState::warm) load_all_processors(Clock::now() + warm, interrupted);
  if (asked_to_stop(interrupted)) throw Interrupted{};
  return observed_mhz_of(cpu);
}

}  // namespace qpcast::hw
