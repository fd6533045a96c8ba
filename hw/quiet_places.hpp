/// Processors that run at their own speed now.
///
/// In a virtual machine a neighbour may have the other hardware thread of a processor's core for
/// seconds at a time: the same post then makes 31 messages/us instead of 50. It shows in the clock
/// as observed, so that one can look for a processor that nobody shares.
#pragma once

#include <functional>
#include <vector>

#include "hw/affinity.hpp"
#include "hw/observed_clock.hpp"

namespace qpcast::hw {

class QuietPlaces {
 public:
  using Observe = std::function<double(int cpu)>;  ///< MHz

  /// @param cpus  to choose from; with fewer than four the scheduler places threads
  explicit QuietPlaces(std::vector<int> cpus = allowed_cpus(), Observe observe = observed_mhz_of);

  /// Those of the last time while nobody shares them, else the quickest processors of all: the
  /// NIC's first, then the producer's, then the workers'.
  const Places& choose();

  /// Nobody shares the NIC's and the producer's processor now.
  bool held();
  /// Nobody did when they were chosen.
  bool quiet() const { return quiet_; }

 private:
  double look(int cpu);
  bool quick(double mhz) const;

  std::vector<int> cpus_;
  Observe observe_;
  Places places_;
  double best_ = 0;  ///< MHz, of any processor so far
  bool quiet_ = true;
};

}  // namespace qpcast::hw
