/// What the emulated NIC pretends, so that calibration can be tested against a known truth.
#pragma once

#include <cstdint>
#include <string>

#include "hw/nic/emulated/engine.hpp"

namespace qpcast::hw::emulated {

enum class Replacement : std::uint8_t { lru, random };

enum class Fault : std::uint8_t {
  none,
  queue_error,         ///< the queue pair that is being served goes to error
  completion_overrun,  ///< its completion queue overruns
  peer_dead,           ///< its peer vanishes
  device_removed,      ///< the NIC is unplugged
};

struct Imposed {
  Mode mode = Mode::execute;
  double rate = 0;             ///< messages/us of the engine; 0: as fast as it goes
  std::uint32_t contexts = 0;  ///< queue pair contexts that fit in the cache; 0: all
  double miss_us = 0;          ///< us that fetching a context takes
  Replacement replacement = Replacement::lru;
  Fault fault = Fault::none;
  std::uint64_t fault_after = 0;  ///< messages served before the fault
};

/// Reads `mode=sink;rate=2.5;contexts=64;miss=0.4;replacement=random;fault=peer-dead;after=1000`
/// (rate in messages/us, miss in us). @throws InputError naming the key and what it takes
Imposed parse_imposed(const std::string& text);

/// The same, for a row's environment: only what differs from a NIC that imposes nothing.
std::string describe(const Imposed& imposed);

}  // namespace qpcast::hw::emulated
